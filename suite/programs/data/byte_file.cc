#include "data/byte_file.h"

#include <algorithm>
#include <array>

namespace lapcast::workloads {

std::vector<uint8_t> ByteReader::at_most(uint64_t most) {
  constexpr uint64_t kFirst = uint64_t{1} << 16;
  std::vector<uint8_t> bytes;
  while (bytes.size() < most) {
    const uint64_t had = bytes.size();
    bytes.resize(std::min(most, std::max(kFirst, 2 * had)));
    const size_t got = read(std::span(bytes).subspan(had));
    if (had + got == bytes.size()) continue;
    bytes.resize(had + got);
    break;
  }
  return bytes;
}

std::vector<uint8_t> ByteReader::rest(uint64_t size) {
  std::vector<uint8_t> bytes = at_most(size);
  if (bytes.size() < size) {
    fail(offset_, "the file ends, " + std::to_string(size - bytes.size()) + " of " +
                      std::to_string(size) + " bytes are missing");
  }
  std::array<uint8_t, 1> extra{};
  if (read(extra) != 0) fail(offset_ - 1, "bytes follow where the file should end");
  return bytes;
}

void ByteReader::fail(uint64_t offset, const std::string& what) const {
  throw FileError(file_.string() + ": byte " + std::to_string(offset) + ": " + what);
}

}  // namespace lapcast::workloads
