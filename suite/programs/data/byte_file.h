#pragma once

#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace lapcast::workloads {

/// Reads and writes files of bytes, plain or packed with gzip.

/// Returns whether the suite was built with zlib. Without it, packed files are refused.
bool knows_packed_files();

/// Reports one line: the file, the byte offset in its (unpacked) content and what is wrong at that
/// offset.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Reads a file from its start; a packed file is unpacked.
class ByteReader {
 public:
  /// Opens the file. Throws FileError when it cannot be opened.
  explicit ByteReader(std::filesystem::path file);
  ~ByteReader();
  ByteReader(ByteReader&&) noexcept;

  /// Reads into all of `into` or up to the end of the file. Returns the number of bytes read.
  /// Throws FileError when the file cannot be read, or when packed data are damaged or end too
  /// early.
  size_t read(std::span<uint8_t> into);

  /// Returns the remaining bytes, at most `most` of them. Memory grows with the bytes that exist.
  std::vector<uint8_t> at_most(uint64_t most);
  /// Returns the remaining bytes, which must be `size`. Throws FileError when they are not. A
  /// damaged header that promises gigabytes costs no memory.
  std::vector<uint8_t> rest(uint64_t size);

  /// Returns the number of bytes read so far.
  uint64_t offset() const { return offset_; }
  const std::filesystem::path& file() const { return file_; }

  /// Throws FileError: "FILE: byte OFFSET: WHAT".
  [[noreturn]] void fail(uint64_t offset, const std::string& what) const;

 private:
  struct Handle;
  std::filesystem::path file_;
  std::unique_ptr<Handle> handle_;
  uint64_t offset_ = 0;
};

/// Writes a file of these parts, packed when its name ends in ".gz". Throws FileError when it
/// cannot be written; an incomplete file is removed.
void write_bytes(const std::filesystem::path& file,
                 std::initializer_list<std::span<const uint8_t>> parts);

}  // namespace lapcast::workloads
