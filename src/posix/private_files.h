#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "core/result.h"
#include "posix/file_descriptor.h"

namespace lapcast {

// Files and folders of this user alone, made with mode 0600 and 0700. Reasons name the path and the
// system's error.

/// Says what nobody else may do with a path.
enum class Forbidden { nothing, writing, any_use };

/// Returns whether a path is of this user and of this kind (S_IFDIR or S_IFREG; a link is neither),
/// and grants nobody else what is forbidden.
bool is_own_path(const std::filesystem::path& path, mode_t kind, Forbidden forbidden);

/// Makes a folder and those above it that are lacking. Those that exist keep their mode.
Result<void> make_private_folders(const std::filesystem::path& folder);

/// Writes a file in one step: it holds the whole text, or is as it was before.
Result<void> write_private_file(const std::filesystem::path& file, std::string_view text);

/// Opens a file for reading and writing, which is created when it is lacking; never follows a link.
/// Not open, with errno, when it cannot be. `flags` are added to those of open(2).
FileDescriptor open_private_file(const std::filesystem::path& file, int flags = 0);

/// Opens a file that only grows, in the same way.
FileDescriptor open_private_log(const std::filesystem::path& file);

/// Writes the whole text at the end of an open file, or nothing: takes back what was cut off.
/// Returns 0 or errno.
int append_whole(int fd, std::string_view text);

/// Returns the first `max_bytes` of a file; empty when it cannot be read.
std::string read_private_file(const std::filesystem::path& file, std::size_t max_bytes = 64 << 20);

/// Holds a lock on a file until it is destroyed, or its process ends.
class FileLock {
 public:
  /// Takes the lock at once or not at all: then is_held() is false. Creates the file when it is
  /// lacking.
  explicit FileLock(const std::filesystem::path& file);
  bool is_held() const { return held_; }
  /// Tries once more.
  bool try_again();
  /// Returns why the lock is not held; EWOULDBLOCK when another process holds it.
  int error() const { return error_; }

 private:
  FileDescriptor fd_;
  bool held_ = false;
  int error_ = 0;
};

}  // namespace lapcast
