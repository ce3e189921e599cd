// nn-twins trains a tiny network to recognise the file access pattern of an application from the
// requests that an I/O node receives.
//
// [K] Künas, master's thesis on training machine learning models in the cloud, 2023, sections 4.1
//     and 6.2.1.
#include "models/nn_twins.h"

#include "common/io_table.h"
#include "common/program.h"
#include "common/rmsprop.h"
#include "common/stage.h"
#include "data/io_observations.h"

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

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("nn-twins", "Trains the I/O access pattern classifier of the scheduler TWINS.",
                   "  make-io-observations --out observations && nn-twins --data observations\n"
                   "  nn-twins --data observations --threads 1 --batch 256\n");
  CommonOptions options;
  options.batch = 32;
  options.epochs = 50;
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [] { return std::make_shared<NnTwins>(); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      RmsPropOptions rule;  // The other options are Keras's.
      rule.learning_rate = 0.001;
      rule.momentum = 0.9;
      return std::make_unique<RmsProp>(std::move(parameters), rule);
    };
    recipe.data = [&](c10::Device device) { return read_parts(options, device); };
    return recipe;
  });
}
