// nn-twins trains a tiny network to recognise the file access pattern of an application from the
// requests that an I/O node receives.
//
// [K] Künas, master's thesis on training machine learning models in the cloud, 2023, sections 4.1
//     and 6.2.1.
#include "models/nn_twins.h"

#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include "common/io_table.h"
#include "common/program.h"
#include "common/rmsprop.h"
#include "common/stage.h"
#include "data/io_observations.h"
#include "data/spearman.h"

namespace {

using namespace lapcast::workloads;

DataParts read_parts(const CommonOptions& options, c10::Device device) {
  IoParts parts;
  {
    const Stage stage("data-load");
    parts = read_io_parts(options.data);
  }
  const Stage stage("pre-process");
  parts.training.keep_first(options.samples);
  parts.test.keep_first(options.validation_samples);
  const IoTables tables = normalised(parts);
  return {std::make_unique<TableBatches>(tables.training, device),
          std::make_unique<TableBatches>(tables.test, device)};
}

/// Returns 1 for the observations of a pattern and 0 for the others.
std::vector<double> is_pattern(const IoObservations& observations, int pattern) {
  std::vector<double> ones;
  for (const uint8_t p : observations.patterns) ones.push_back(p == pattern ? 1 : 0);
  return ones;
}

/// Prints Spearman's rank correlation of every feature of the training part with the pattern (0, 1,
/// 2 in the order of kIoPatternNames), with each pattern against the others, and with every
/// feature.
void print_correlations(const CommonOptions& options) {
  IoObservations training = read_io_parts(options.data).training;
  training.keep_first(options.samples);
  std::vector<std::pair<std::string, std::vector<double>>> columns{
      {"pattern", {training.patterns.begin(), training.patterns.end()}}};
  for (size_t p = 0; p < kIoPatterns; ++p) {
    columns.emplace_back(kIoPatternNames[p], is_pattern(training, static_cast<int>(p)));
  }
  for (size_t f = 0; f < kIoFeatures; ++f) {
    columns.emplace_back(kIoColumns[f], training.column(static_cast<int64_t>(f)));
  }
  std::printf("Spearman's rank correlation, %lld observations\n%-20s",
              static_cast<long long>(training.count()), "");
  for (const auto& [name, values] : columns) std::printf("  %s", name.c_str());
  std::printf("\n");
  for (size_t f = 0; f < kIoFeatures; ++f) {
    const auto& [feature, numbers] = columns[1 + kIoPatterns + f];
    std::printf("%-20s", feature.c_str());
    for (const auto& [name, values] : columns) {
      std::printf("  %*.3f", static_cast<int>(name.size()), spearman(numbers, values));
    }
    std::printf("\n");
  }
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("nn-twins", "Trains the I/O access pattern classifier of the scheduler TWINS.",
                   "  make-io-observations --out observations && nn-twins --data observations\n"
                   "  nn-twins --data observations --threads 1 --batch 256\n"
                   "  nn-twins --data observations --layers 3\n"
                   "  nn-twins --data observations --correlations\n");
  int64_t layers = 2;
  line.number("layers", layers, 2, 3,
              "Layers with weights: 5-3 (48 parameters), or 5-5-3 as Künas can be read too (78)");
  bool correlations = false;
  line.flag("correlations", correlations,
            "Print how the features correlate by rank, with the pattern and each other, and end");
  CommonOptions options;
  options.batch = 32;
  options.epochs = 50;
  options.threads = 1;  // A step has less work than it takes to hand it out.
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [=] { return std::make_shared<NnTwins>(layers); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      RmsPropOptions rule;  // The other options are Keras's.
      rule.learning_rate = 0.001;
      rule.momentum = 0.9;
      return std::make_unique<RmsProp>(std::move(parameters), rule);
    };
    recipe.data = [&](c10::Device device) { return read_parts(options, device); };
    if (correlations) recipe.instead = [&] { print_correlations(options); };
    return recipe;
  });
}
