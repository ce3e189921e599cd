#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>

#include "data/byte_file.h"

namespace lapcast::workloads {

/// Writes a file that is whole or absent, even when the machine stops in the middle: the bytes go
/// to NAME.part, which finish() writes through to the disk and renames.
class DurableFile {
 public:
  /// Opens NAME.part, empty. Throws FileError when it cannot be opened.
  explicit DurableFile(std::filesystem::path file);
  /// Removes NAME.part when finish() was not reached.
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  /// Appends the bytes. Throws FileError, for example when the disk is full.
  void append(std::span<const uint8_t> bytes);

  /// Writes the file through to the disk and gives it its name. Throws FileError.
  void finish();

  /// Returns the number of bytes appended so far.
  uint64_t size() const { return size_; }

 private:
  [[noreturn]] void fail(const char* what) const;

  std::filesystem::path file_;
  std::filesystem::path draft_;
  int descriptor_ = -1;
  uint64_t size_ = 0;
};

/// Writes a file of these bytes, whole or absent. Throws FileError.
void write_durably(const std::filesystem::path& file, std::span<const uint8_t> bytes);
void write_durably(const std::filesystem::path& file, std::string_view text);

}  // namespace lapcast::workloads
