// mnist-mlp trains a multi-layer perceptron on MNIST, as [G] does.
//
// [G] "Execution-Time Performance of Deep Learning Networks on CPU, GPU and TPU Runtime
//     Environments", 2021. The paper does not print its networks. This one is the customary Keras
//     example, with Keras's default options of Adam (0.001, 0.9, 0.999, 1e-7).
#include "models/mnist_mlp.h"

#include "common/adam.h"
#include "common/mnist_parts.h"
#include "common/program.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line("mnist-mlp", "Trains a multi-layer perceptron on MNIST.",
                   "  make-digits --out digits && mnist-mlp --data digits\n"
                   "  mnist-mlp --data digits --epochs 100 --patience 5\n");
  CommonOptions options;
  options.batch = 128;
  options.epochs = 20;
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [] { return std::make_shared<MnistMlp>(0.45); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      return std::make_unique<Adam>(std::move(parameters), AdamOptions{});
    };
    recipe.data = [&](c10::Device device) { return read_mnist_parts(options, device); };
    return recipe;
  });
}
