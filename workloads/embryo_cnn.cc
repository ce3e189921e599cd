// embryo-cnn counts the cells of mouse embryos, as [L] does.
//
// [L] Lawrence et al., "Comparing TensorFlow Deep Learning Performance Using CPUs, GPUs, Local PCs
//     and Cloud", Pace University, 2017.
#include "models/embryo_cnn.h"

#include <utility>

#include "common/adam.h"
#include "common/image_parts.h"
#include "common/program.h"
#include "common/stage.h"
#include "embryo/prepare.h"

namespace {

using namespace lapcast::workloads;

/// Chooses the frames of each class. It does not depend on the run's seed, so runs stay comparable.
constexpr uint64_t kChoiceSeed = 1;

/// Prepares the frames of the data folder, or reads the patches that embryo-prepare has written to
/// it.
EmbryoParts read_parts(const CommonOptions& options) {
  FrameParts frames;
  {
    const Stage stage("data-load");
    if (holds_prepared(options.data)) return read_prepared(options.data);
    frames = balance_and_split(list_frames(options.data), kChoiceSeed);
  }
  const Stage stage("pre-process");
  return prepare_parts(frames, static_cast<int>(options.threads));
}

DataParts read_data(const CommonOptions& options, c10::Device device) {
  EmbryoParts parts = read_parts(options);
  return image_parts(std::move(parts.training), std::move(parts.test), options, device);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("embryo-cnn",
                   "Trains the convolutional network that counts the cells of mouse embryos.",
                   "  make-embryos --out embryos --frames 3064 && embryo-cnn --data embryos\n"
                   "  embryo-prepare --in embryos --out patches && embryo-cnn --data patches\n");
  CommonOptions options;
  options.batch = 480;
  options.epochs = 20;
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [] { return std::make_shared<EmbryoCnn>(); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      return std::make_unique<Adam>(std::move(parameters));
    };
    recipe.data = [&](c10::Device device) { return read_data(options, device); };
    return recipe;
  });
}
