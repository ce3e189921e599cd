#include "data/png.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

#include "bytes_as_file.h"

using namespace lapcast::workloads;

namespace {

using Bytes = std::vector<std::uint8_t>;

void append_chunk(Bytes& to, std::string_view type, std::span<const std::uint8_t> data) {
  for (int shift : {24, 16, 8, 0}) to.push_back(static_cast<std::uint8_t>(data.size() >> shift));
  const std::size_t begin = to.size();
  to.insert(to.end(), type.begin(), type.end());
  to.insert(to.end(), data.begin(), data.end());
  const std::uint32_t sum = crc32_of(std::span<const std::uint8_t>(to).subspan(begin));
  for (int shift : {24, 16, 8, 0}) to.push_back(static_cast<std::uint8_t>(sum >> shift));
}

/// Returns a well-formed 4x4 file around packed pixels, whose checksums a fuzzer would not find.
Bytes file_around(std::span<const std::uint8_t> packed) {
  Bytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append_chunk(file, "IHDR", Bytes{0, 0, 0, 4, 0, 0, 0, 4, 8, 0, 0, 0, 0});
  append_chunk(file, "IDAT", packed);
  append_chunk(file, "IEND", {});
  return file;
}

void read(const std::uint8_t* data, std::size_t size) {
  const BytesAsFile file(data, size);
  static PngReader whole({4, 4}), part({4, 4}, {3, 2});
  try {
    if (whole.read(file.path()).size() != 4 * 4) std::abort();
    // refuses no more than a reader of the whole image
    if (part.read(file.path()).size() != 3 * 2) std::abort();
  } catch (const FileError&) {
  }
}

}  // namespace

/// Checks that a PNG file of any bytes is read or refused with a FileError: as a whole file, as
/// packed pixels, and as pixels with their filters.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  read(data, size);
  const Bytes packed = file_around({data, size});
  read(packed.data(), packed.size());
  const Bytes filtered = file_around(deflate_bytes({data, std::min<std::size_t>(size, 20)}));
  read(filtered.data(), filtered.size());
  return 0;
}
