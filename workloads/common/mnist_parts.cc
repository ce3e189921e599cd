#include "common/mnist_parts.h"

#include <utility>

#include "common/stage.h"
#include "data/idx.h"

namespace lapcast::workloads {
namespace {

LabelledImages load(const std::filesystem::path& folder, MnistPart part) {
  LabelledImages set = read_mnist(folder, part);
  if (set.images.rows == 28 && set.images.columns == 28) return set;
  throw FileError(folder.string() + ": images of " + std::to_string(set.images.rows) + "x" +
                 std::to_string(set.images.columns) + ", expected 28x28");
}

}  // namespace

DataParts read_mnist_parts(const CommonOptions& options, c10::Device device) {
  LabelledImages training, validation;
  {
    const Stage stage("data-load");
    training = load(options.data, MnistPart::kTraining);
    validation = load(options.data, MnistPart::kTest);
  }
  const Stage stage("pre-process");  // scaling to 0..1 is left to each batch
  training.keep_first(options.samples);
  validation.keep_first(options.validation_samples);
  return {std::make_unique<ImageBatches>(byte_images(std::move(training)), device),
          std::make_unique<ImageBatches>(byte_images(std::move(validation)), device)};
}

}  // namespace lapcast::workloads
