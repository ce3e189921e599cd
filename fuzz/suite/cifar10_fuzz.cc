#include "data/cifar10.h"

#include "bytes_as_file.h"

using namespace lapcast::workloads;

/// Checks that a batch file of any bytes is read or refused with a FileError. What is read has the
/// size that it states, and every label is a class.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesAsFile file(data, size);
  try {
    const Cifar10Images images = read_cifar10_file(file.path());
    const auto pixels = static_cast<std::size_t>(images.count() * kCifarPixels);
    if (pixels == 0 || images.pixels.size() != pixels) std::abort();
    for (const std::uint8_t label : images.labels) {
      if (label >= kCifarClasses) std::abort();
    }
  } catch (const FileError&) {
  }
  return 0;
}
