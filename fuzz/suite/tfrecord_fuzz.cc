#include <cstdlib>
#include <span>
#include <vector>

#include "bytes_as_file.h"
#include "data/image_example.h"

using namespace lapcast::workloads;

namespace {

void read(std::span<const std::uint8_t> bytes) {
  const BytesAsFile file(bytes.data(), bytes.size());
  ImageExampleReader reader(file.path());
  try {
    while (const auto image = reader.next()) {
      if (image->encoded.empty() || image->encoded.size() > bytes.size()) std::abort();
    }
  } catch (const FileError&) {
  }
}

}  // namespace

/// Checks that a TFRecord file of any bytes is read or refused with a FileError: as a whole file,
/// and as one record whose checksums a fuzzer would not find.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read({data, size});
  std::vector<std::uint8_t> record;
  append_tfrecord(record, {data, size});
  read(record);
  return 0;
}
