#include "data/idx.h"

#include "bytes_as_file.h"

using namespace lapcast::workloads;

/// Checks that an IDX file of any bytes, plain or packed, is read or refused with a FileError. What
/// is read has the size that it states.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const BytesAsFile file(data, size);
  try {
    const IdxImages images = read_idx_images(file.path());
    const auto pixels = static_cast<std::size_t>(images.count * images.rows * images.columns);
    if (pixels == 0 || images.pixels.size() != pixels) std::abort();
  } catch (const FileError&) {
  }
  try {
    for (const std::uint8_t label : read_idx_labels(file.path(), 10)) {
      if (label >= 10) std::abort();
    }
  } catch (const FileError&) {
  }
  return 0;
}
