#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "core/result.h"

namespace lapcast {

// Files that are nobody else's: made with 0600, folders with 0700. Reasons name the path and the
// system's error, a full disk with what to do.

/// Makes the folder and those above it that are lacking.
Result<void> make_private_folders(const std::filesystem::path& folder);

/// Writes a file in one step: it is there whole, or as it was before.
Result<void> write_private_file(const std::filesystem::path& file, std::string_view text);

/// Opens a file that only grows, made when it is lacking; -1 and errno when it cannot be.
int open_private_log(const std::filesystem::path& file);

/// Writes all at the end of an open file, or nothing: what was cut off is taken back. 0 or errno.
int append_whole(int fd, std::string_view text);

/// The whole file, at most that much of it; empty when it cannot be read.
std::string read_private_file(const std::filesystem::path& file, std::size_t max_bytes = 64 << 20);

/// A lock that is held until it is closed, or its process ends.
class FileLock {
 public:
  /// Takes it at once or not at all: then is_held() is false. The file is made when it is lacking.
  explicit FileLock(const std::filesystem::path& file);
  FileLock(const FileLock&) = delete;
  FileLock& operator=(const FileLock&) = delete;
  ~FileLock();
  bool is_held() const { return held_; }
  /// Tries once more.
  bool try_again();

 private:
  int fd_ = -1;
  bool held_ = false;
};

}  // namespace lapcast
