// mnist-cnn trains the small convolutional network of Keras's MNIST example, as [C] and [M] do.
//
// [C] Carneiro et al., "Performance Analysis of Google Colaboratory as a Tool for Accelerating Deep
//     Learning Applications", IEEE Access 6, 2018.
// [M] Malta, "Selecting efficient VM types to train deep learning models on the cloud" (thesis,
//     Unicamp, 2021), chapters 4 and 5.
#include "models/mnist_cnn.h"

#include "common/adadelta.h"
#include "common/mnist_parts.h"
#include "common/program.h"

namespace {

using namespace lapcast::workloads;

/// Describes how a paper trains the network. Both papers keep Keras's defaults for the rest of
/// Adadelta.
struct Setting {
  int64_t batch;
  int64_t epochs;
  int64_t samples;  // of the training file; 0: all
  double pool_dropout;
  double dense_dropout;
  AdadeltaOptions adadelta;
};

/// Returns the setting of [C], section IV-A: batch 128, 12 epochs, one dropout layer of 0.5 after
/// the pooling, all 60,000 images. Adadelta is as Keras had it in 2018: learning rate 1, rho 0.95,
/// epsilon 1e-7.
Setting carneiro() {
  return {128, 12, 0, 0.5, 0, {1.0, 0.95, 1e-7}};
}

/// Returns the setting of [M], section 5.1: "dropout regularization" (0.25 and 0.5 in the Keras
/// example), Adadelta with an initial learning rate of 0.001, 50,000 images for training and 10,000
/// for validation.
Setting malta(int64_t batch, int64_t replicas) {
  // Table 5.1 lists the epochs for batches of 256, 512, 1024 and 2048.
  const int64_t all = batch * replicas;
  const int64_t epochs = all <= 256 ? 15 : all <= 512 ? 17 : all <= 1024 ? 22 : 28;
  return {batch, epochs, 50000, 0.25, 0.5, {0.001, 0.95, 1e-7}};
}

/// Returns the setting of that name and fills in the options that the user left out.
Setting choose_setting(const std::string& name, CommonOptions& options) {
  const Setting setting =
      name == "malta" ? malta(options.batch ? options.batch : 256, options.replicas) : carneiro();
  if (!options.batch) options.batch = setting.batch;
  if (!options.epochs) options.epochs = setting.epochs;
  if (!options.samples) options.samples = setting.samples;
  return setting;
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("mnist-cnn", "Trains the small convolutional network of Keras's MNIST example.",
                   "  make-digits --out digits && mnist-cnn --data digits\n"
                   "  mnist-cnn --data digits --setting malta --batch 1024\n"
                   "  mnist-cnn --data digits --epochs 30 --patience 3 --checkpoint-every 1 "
                   "--run-dir run\n"
                   "  mnist-cnn --data digits --resume run/checkpoint-4.pt\n");
  std::string name = "carneiro";
  line.choice("setting", name, {"carneiro", "malta"},
              "Paper whose settings are used: carneiro (batch 128, 12 epochs, Adadelta 1.0, 60,000 "
              "images) or malta (batch 256, 15 epochs, Adadelta 0.001, 50,000 images)");
  CommonOptions options;
  return run_program(line, options, argc, argv, [&] {
    const Setting setting = choose_setting(name, options);
    Recipe recipe;
    recipe.network = [=] {
      return std::make_shared<MnistCnn>(setting.pool_dropout, setting.dense_dropout);
    };
    recipe.optimizer = [=](std::vector<at::Tensor> parameters) {
      return std::make_unique<Adadelta>(std::move(parameters), setting.adadelta);
    };
    recipe.data = [&](c10::Device device) { return read_mnist_parts(options, device); };
    return recipe;
  });
}
