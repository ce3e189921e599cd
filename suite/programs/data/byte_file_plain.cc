#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>

#include "data/byte_file.h"

namespace lapcast::workloads {
namespace {

namespace fs = std::filesystem;

void refuse_packed(const fs::path& file, const char* what_to_do) {
  if (file.extension() == ".gz") {
    throw FileError(file.string() + ": this suite was built without zlib; " + what_to_do);
  }
}

}  // namespace

bool knows_packed_files() {
  return false;
}

struct ByteReader::Handle {
  std::FILE* file = nullptr;
  ~Handle() {
    if (file) std::fclose(file);
  }
};

ByteReader::ByteReader(fs::path file) : file_(std::move(file)), handle_(new Handle) {
  refuse_packed(file_, "unpack the file with gunzip");
  std::error_code error;
  if (fs::is_directory(file_, error)) throw FileError(file_.string() + ": is a folder");
  handle_->file = std::fopen(file_.c_str(), "rb");
  if (!handle_->file) throw FileError(file_.string() + ": " + std::strerror(errno));
}

ByteReader::~ByteReader() = default;
ByteReader::ByteReader(ByteReader&&) noexcept = default;

size_t ByteReader::read(std::span<uint8_t> into) {
  const size_t got = std::fread(into.data(), 1, into.size(), handle_->file);
  if (got < into.size() && std::ferror(handle_->file)) {
    throw FileError(file_.string() + ": after byte " + std::to_string(offset_) +
                    ": cannot be read: " + std::strerror(errno));
  }
  offset_ += got;
  return got;
}

void write_bytes(const fs::path& file, std::initializer_list<std::span<const uint8_t>> parts) {
  refuse_packed(file, "write it plain");
  std::FILE* out = std::fopen(file.c_str(), "wb");
  if (!out) throw FileError(file.string() + ": " + std::strerror(errno));
  bool written = true;
  for (const auto part : parts) {
    written = written && std::fwrite(part.data(), 1, part.size(), out) == part.size();
  }
  if (std::fclose(out) == 0 && written) return;
  const std::string why = errno ? std::strerror(errno) : "cannot be written";
  std::error_code ignored;
  fs::remove(file, ignored);
  throw FileError(file.string() + ": " + why);
}

}  // namespace lapcast::workloads
