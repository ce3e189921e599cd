// embryo-cnn counts the cells of mouse embryos, as [L] does.
//
// [L] Lawrence et al., "Comparing TensorFlow Deep Learning Performance Using CPUs, GPUs, Local PCs
//     and Cloud", Pace University, 2017.
#include "models/embryo_cnn.h"

#include <string>
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
    frames.patches = read_patch_counts(options.data);
  }
  const Stage stage("pre-process");
  return prepare_parts(frames, static_cast<int>(options.threads));
}

DataParts read_data(const CommonOptions& options, c10::Device device) {
  EmbryoParts parts = read_parts(options);
  return image_parts(std::move(parts.training), std::move(parts.test), options, device);
}

/// Holds what differs between the settings.
struct Setting {
  double dropout;  // before the last layer
  double learning_rate;
};

/// Returns [L]'s setting as far as it is printed, or that of TensorFlow's tutorial "Deep MNIST for
/// Experts" (r0.11), which [L] says it modified: dropout that keeps a half before the read-out,
/// Adam with 1e-4.
Setting setting_named(const std::string& name) {
  return name == "tutorial" ? Setting{0.5, 1e-4} : Setting{0, 1e-3};
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line(
      "embryo-cnn", "Trains the convolutional network that counts the cells of mouse embryos.",
      "  make-embryos --out embryos --train 49024 --test 12256 && embryo-cnn --data embryos\n"
      "  embryo-prepare --in embryos --out patches && embryo-cnn --data patches\n");
  std::string name = "paper";
  line.choice("setting", name, {"paper", "tutorial"},
              "paper: what Lawrence et al. print, Adam 0.001; tutorial: as the TensorFlow tutorial "
              "that they modified, dropout 0.5 before the last layer, Adam 0.0001");
  CommonOptions options;
  options.batch = 480;
  options.epochs = 20;
  return run_program(line, options, argc, argv, [&] {
    const Setting setting = setting_named(name);
    Recipe recipe;
    recipe.network = [=] { return std::make_shared<EmbryoCnn>(setting.dropout); };
    recipe.optimizer = [=](std::vector<at::Tensor> parameters) {
      AdamOptions rule;
      rule.learning_rate = setting.learning_rate;
      return std::make_unique<Adam>(std::move(parameters), rule);
    };
    recipe.data = [&](c10::Device device) { return read_data(options, device); };
    return recipe;
  });
}
