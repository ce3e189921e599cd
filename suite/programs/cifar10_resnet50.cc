// cifar10-resnet50 trains ResNet-50 on the images of CIFAR-10.
//
// [M] Malta, "Selecting Efficient Virtual Machines for Training Deep Learning Models on the Cloud"
//     (thesis, Unicamp, 2021), section 4.1 and table 4.3.
#include "common/image_parts.h"
#include "common/program.h"
#include "common/schedule.h"
#include "common/sgd.h"
#include "data/cifar10.h"
#include "models/resnet50.h"

namespace lapcast::workloads {

static ByteImages byte_images(Cifar10Images images) {
  return {images.count(), kCifarChannels,           kCifarSide,
          kCifarSide,     std::move(images.pixels), std::move(images.labels)};
}

}  // namespace lapcast::workloads

namespace {

using namespace lapcast::workloads;

/// Returns the default number of epochs for a batch size. Table 4.3 lists 17,000, 8,000, 4,500 and
/// 3,000 iterations for batches of 256, 512, 1024 and 2048; the result is the number of epochs that
/// these iterations make. (The epochs that the same table lists, 2.7 to 15, do not fit its
/// iterations.)
int64_t epochs_for(int64_t batch) {
  return batch <= 256 ? 87 : batch <= 512 ? 82 : batch <= 1024 ? 92 : 120;
}

DataParts read_parts(const CommonOptions& options, c10::Device device) {
  const auto read = [&](Cifar10Part part) { return read_cifar10(options.data, part); };
  return read_image_parts(Cifar10Part::kTraining, Cifar10Part::kTest, read, options, device);
}

}  // namespace

int main(int argc, char** argv) {
  CommandLine line("cifar10-resnet50", "Trains ResNet-50 on the binary version of CIFAR-10.",
                   "  make-cifar10 --out cifar10 && cifar10-resnet50 --data cifar10\n"
                   "  cifar10-resnet50 --data cifar10 --batch 1024 --device cuda --dtype bf16\n");
  CommonOptions options;
  options.batch = 256;
  return run_program(line, options, argc, argv, [&] {
    if (!options.epochs) options.epochs = epochs_for(options.batch_of_all());
    Recipe recipe;
    recipe.network = [] { return std::make_shared<ResNet50>(kCifarClasses); };
    recipe.optimizer = [](std::vector<at::Tensor> parameters) {
      return std::make_unique<Sgd>(std::move(parameters), SgdOptions{0.1, 0.9});
    };
    recipe.data = [&](c10::Device device) { return read_parts(options, device); };
    recipe.learning_rate = [](double first, int64_t epoch, int64_t epochs) {
      return falling_rate(first, 0.02, epoch, epochs);
    };
    return recipe;
  });
}
