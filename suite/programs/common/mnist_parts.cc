#include "common/mnist_parts.h"

#include "common/image_parts.h"
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
  const auto read = [&](MnistPart part) { return load(options.data, part); };
  return read_image_parts(MnistPart::kTraining, MnistPart::kTest, read, options, device);
}

}  // namespace lapcast::workloads
