#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "data/byte_file.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kBuffer = 1 << 16;

/// Removes the file's name, which zlib puts before its message.
const char* short_message(const fs::path& file, const char* message) {
  const std::string prefix = file.string() + ": ";
  return std::strncmp(message, prefix.c_str(), prefix.size()) == 0 ? message + prefix.size()
                                                                   : message;
}

bool write_all(gzFile gz, std::span<const uint8_t> bytes) {
  constexpr size_t kChunk = size_t{64} << 20;  // gzwrite counts in an unsigned int
  for (size_t at = 0; at < bytes.size(); at += kChunk) {
    const size_t n = std::min(kChunk, bytes.size() - at);
    if (gzwrite(gz, bytes.data() + at, static_cast<unsigned>(n)) != static_cast<int>(n)) {
      return false;
    }
  }
  return true;
}

}  // namespace

bool knows_packed_files() {
  return true;
}

struct ByteReader::Handle {
  gzFile gz = nullptr;
  ~Handle() {
    if (gz) gzclose(gz);
  }
};

ByteReader::ByteReader(fs::path file) : file_(std::move(file)), handle_(new Handle) {
  std::error_code error;
  if (fs::is_directory(file_, error)) throw FileError(file_.string() + ": is a folder");
  errno = 0;
  handle_->gz = gzopen(file_.c_str(), "rb");
  if (!handle_->gz) {
    throw FileError(file_.string() + ": " + (errno ? std::strerror(errno) : "cannot be opened"));
  }
  gzbuffer(handle_->gz, kBuffer);
}

ByteReader::~ByteReader() = default;
ByteReader::ByteReader(ByteReader&&) noexcept = default;

size_t ByteReader::read(std::span<uint8_t> into) {
  const int got = gzread(handle_->gz, into.data(), static_cast<unsigned>(into.size()));
  int code = Z_OK;
  const char* message = gzerror(handle_->gz, &code);
  if (got < 0 || code == Z_BUF_ERROR) {
    throw FileError(file_.string() + ": after byte " + std::to_string(offset_) +
                    ": cannot be read: " +
                    (code == Z_ERRNO       ? std::strerror(errno)
                     : code == Z_BUF_ERROR ? "the packed data end too early"
                     : message && *message ? short_message(file_, message)
                                           : "damaged"));
  }
  offset_ += static_cast<uint64_t>(got);
  return static_cast<size_t>(got);
}

void write_bytes(const fs::path& file, std::initializer_list<std::span<const uint8_t>> parts) {
  errno = 0;
  // "T" writes plain bytes. Level 1 packs noise as well as level 9 and is faster.
  gzFile gz = gzopen(file.c_str(), file.extension() == ".gz" ? "wb1" : "wbT");
  if (!gz) throw FileError(file.string() + ": " + std::strerror(errno));
  gzbuffer(gz, kBuffer);
  const bool written = std::all_of(parts.begin(), parts.end(),
                                   [gz](const auto& part) { return write_all(gz, part); });
  if (gzclose(gz) == Z_OK && written) return;
  const std::string why = errno ? std::strerror(errno) : "cannot be written";
  std::error_code ignored;
  fs::remove(file, ignored);
  throw FileError(file.string() + ": " + why);
}

}  // namespace lapcast::workloads
