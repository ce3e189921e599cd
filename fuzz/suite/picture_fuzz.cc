#include "data/picture.h"

#include "bytes_as_file.h"
#include "data/byte_file.h"

using namespace lapcast::workloads;

/// Checks that a picture of any bytes is read or refused with a FileError. What is read has as many
/// pixels as its sides say.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesAsFile file(data, size);
  try {
    const Picture picture = read_picture(file.path());
    const auto bytes = static_cast<std::size_t>(3 * picture.height * picture.width);
    if (bytes == 0 || picture.pixels.size() != bytes) std::abort();
  } catch (const FileError&) {
  }
  return 0;
}
