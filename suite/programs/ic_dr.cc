// ic-dr grades diabetic retinopathy in photographs of the retina, as [K] does.
//
// [K] Künas, "Optimizing machine learning models training in the cloud" (thesis, UFRGS, 2023),
//     sections 4.3 and 6.2.3.
#include "models/ic_dr.h"

#include <algorithm>
#include <filesystem>

#include "common/adam.h"
#include "common/jpeg_batches.h"
#include "common/program.h"
#include "common/stage.h"
#include "data/jpeg_set.h"

namespace {

using namespace lapcast::workloads;

/// Holds the options that only this program has.
struct RetinaOptions {
  int64_t side = 256;
  int64_t workers = 0;  // 0: as many as threads, at most 8
  std::filesystem::path weights;
};

DataParts read_data(const CommonOptions& options, const RetinaOptions& retina, c10::Device device) {
  const Stage stage("data-load");
  const ShardParts parts = split_shards(options.data);
  const int64_t workers =
      retina.workers > 0 ? retina.workers : std::min<int64_t>(options.threads, 8);
  const auto batches = [&](const std::vector<std::filesystem::path>& shards, int64_t most) {
    return std::make_unique<JpegBatches>(read_jpeg_set(shards, IcDr::kGrades, most), retina.side,
                                         workers, device);
  };
  return {batches(parts.training, options.samples),
          batches(parts.validation, options.validation_samples)};
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("ic-dr", "Trains the classifier of diabetic retinopathy on TFRecord shards.",
                   "  ic-dr --data shards --weights inception_v3.pth --device cuda\n"
                   "  ic-dr --data shards --checkpoint-every 1 --run-dir run --restart\n");
  RetinaOptions retina;
  line.number("size", retina.side, 75, 4096, "Rows and columns of the pictures");
  line.number("workers", retina.workers, 0, 256,
              "Threads that decode pictures; 0: as many as --threads, at most 8");
  line.path("weights", retina.weights, "FILE",
            "Begin with these weights: a state dict of torchvision's inception_v3");
  CommonOptions options;
  options.batch = 32;
  options.epochs = 25;
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [=] { return std::make_shared<IcDr>(retina.side, retina.weights); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      AdamOptions rule;  // The other options are Keras's.
      rule.learning_rate = 0.0014;
      return std::make_unique<Adam>(std::move(parameters), rule);
    };
    recipe.data = [&](c10::Device device) { return read_data(options, retina, device); };
    recipe.plateau_patience = 10;  // Keras's default; [K] prints none
    recipe.keeps_best = true;
    return recipe;
  });
}
