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

/// Files of bytes, plain or packed with gzip.

/// Whether the suite was built with zlib. Packed files are refused where not.
bool knows_packed_files();

/// One line: the file, the byte offset in its (unpacked) content, what is wrong there.
struct FileError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A file that is read from its start; a packed one as what is in it.
class ByteReader {
 public:
  /// Throws FileError when it cannot be opened.
  explicit ByteReader(std::filesystem::path file);
  ~ByteReader();
  ByteReader(ByteReader&&) noexcept;

  /// Reads into all of `into` or up to the end of the file; how many bytes it read. Throws
  /// FileError when the file cannot be read, or packed data are damaged or end too early.
  size_t read(std::span<uint8_t> into);

  /// Returns what is left, at most `most` bytes of it. Memory grows with what is really there.
  std::vector<uint8_t> at_most(uint64_t most);
  /// Returns all that is left, which must be `size` bytes. Throws FileError when it is not. A damaged
  /// header that promises gigabytes costs no memory.
  std::vector<uint8_t> rest(uint64_t size);

  /// Bytes read so far.
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
/// cannot be written; a file cut short is removed.
void write_bytes(const std::filesystem::path& file,
                 std::initializer_list<std::span<const uint8_t>> parts);

}  // namespace lapcast::workloads
