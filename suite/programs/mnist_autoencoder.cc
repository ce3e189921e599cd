// mnist-autoencoder trains a convolutional autoencoder on MNIST, as [G] does.
//
// [G] "Execution-Time Performance of Deep Learning Networks on CPU, GPU and TPU Runtime
//     Environments", 2021. The paper does not print its networks. This one is the customary Keras
//     example, with Keras's default options of Adam (0.001, 0.9, 0.999, 1e-7).
#include "models/mnist_autoencoder.h"

#include "common/adam.h"
#include "common/mnist_parts.h"
#include "common/program.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line("mnist-autoencoder", "Trains a convolutional autoencoder on MNIST.",
                   "  make-digits --out digits && mnist-autoencoder --data digits\n"
                   "  mnist-autoencoder --data digits --epochs 100 --patience 3\n");
  CommonOptions options;
  options.batch = 32;
  options.epochs = 30;
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [] { return std::make_shared<MnistAutoencoder>(); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      return std::make_unique<Adam>(std::move(parameters), AdamOptions{});
    };
    recipe.objective = Objective::kReconstruct;
    recipe.data = [&](c10::Device device) { return read_mnist_parts(options, device); };
    return recipe;
  });
}
