// mnist-rnn trains a simple recurrent network on MNIST, as [G] does.
//
// [G] "Execution-Time Performance of Deep Learning Networks on CPU, GPU and TPU Runtime
//     Environments", 2021. The paper does not print its networks. This one is the customary Keras
//     example, with Keras's default options of SGD (0.01, no momentum).
#include "models/mnist_rnn.h"

#include "common/mnist_parts.h"
#include "common/program.h"
#include "common/sgd.h"

using namespace lapcast::workloads;

int main(int argc, char** argv) {
  CommandLine line("mnist-rnn", "Trains a simple recurrent network on MNIST.",
                   "  make-digits --out digits && mnist-rnn --data digits\n"
                   "  mnist-rnn --data digits --epochs 100 --patience 5\n");
  CommonOptions options;
  options.batch = 128;
  options.epochs = 20;
  return run_program(line, options, argc, argv, [&] {
    Recipe recipe;
    recipe.network = [] { return std::make_shared<MnistRnn>(0.2); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      return std::make_unique<Sgd>(std::move(parameters), SgdOptions{});
    };
    recipe.data = [&](c10::Device device) { return read_mnist_parts(options, device); };
    return recipe;
  });
}
