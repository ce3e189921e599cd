#include "store/record.h"

#include <zlib.h>

#include <new>
#include <stdexcept>

namespace lapcast {
namespace {

constexpr std::int64_t kMostBytes = 4'000'000'000;

const Bytef* bytes_of(std::string_view text) {
  return reinterpret_cast<const Bytef*>(text.data());
}
Bytef* bytes_of(std::string& text) {
  return reinterpret_cast<Bytef*>(text.data());
}

}  // namespace

std::string pack_record(std::string line) {
  if (line.size() <= kMostPlainBytes) return line;
  uLongf size = compressBound(line.size());
  std::string packed(size, '\0');
  if (compress2(bytes_of(packed), &size, bytes_of(std::string_view(line)), line.size(),
                Z_BEST_SPEED) != Z_OK) {
    throw std::bad_alloc();  // the one way in which compress2() with enough room fails
  }
  packed.resize(size);
  return packed;
}

Result<std::string> unpack_record(std::string_view record, std::int64_t line_bytes) {
  if (record.empty() || record.front() != 'x') return std::string(record);
  if (line_bytes < 0 || line_bytes > kMostBytes) return because("its length is out of range");
  std::string line(static_cast<std::size_t>(line_bytes), '\0');
  uLongf size = line.size();
  if (uncompress(bytes_of(line), &size, bytes_of(record), record.size()) != Z_OK ||
      size != line.size()) {
    return because("its compressed text is damaged");
  }
  return line;
}

}  // namespace lapcast
