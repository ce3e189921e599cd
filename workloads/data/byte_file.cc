#include "data/byte_file.h"

#include <algorithm>
#include <array>

namespace lapcast::workloads {

std::vector<uint8_t> ByteReader::rest(uint64_t size) {
  constexpr uint64_t kChunk = uint64_t{1} << 20;
  std::vector<uint8_t> bytes;
  while (bytes.size() < size) {
    const uint64_t had = bytes.size();
    bytes.resize(std::min(size, had + kChunk));
    const size_t got = read(std::span(bytes).subspan(had));
    if (had + got < bytes.size()) {
      fail(offset_, "the file ends, " + std::to_string(size - had - got) + " of " +
                        std::to_string(size) + " bytes are missing");
    }
  }
  std::array<uint8_t, 1> extra{};
  if (read(extra) != 0) fail(offset_ - 1, "bytes follow where the file should end");
  return bytes;
}

void ByteReader::fail(uint64_t offset, const std::string& what) const {
  throw FileError(file_.string() + ": byte " + std::to_string(offset) + ": " + what);
}

}  // namespace lapcast::workloads
