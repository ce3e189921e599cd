#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace lapcast {

/// Reaches the content of a folder by relative paths that lead neither out of the folder nor
/// through a symbolic link. Use it from one thread.
class RootedFolder {
 public:
  /// Says how paths are resolved: by openat2, or folder by folder where the kernel lacks it.
  enum class Resolver { kernel, walk };

  /// Opens the folder. Links above it are followed; a link in its own place is refused.
  explicit RootedFolder(const std::filesystem::path& folder, Resolver resolver = Resolver::kernel);
  RootedFolder(const RootedFolder&) = delete;
  RootedFolder& operator=(const RootedFolder&) = delete;
  ~RootedFolder();
  bool is_open() const { return fd_ >= 0; }

  /// Returns the type of what lies at a path: S_IFREG, S_IFLNK, S_IFDIR ... Returns 0 when nothing
  /// lies there, or the path leads through a link or out of the folder.
  mode_t type_of(const std::string& path);
  /// Removes the file, the link or the empty folder at a path. Returns false and sets errno when
  /// it still exists, or the path leads through a link or out of the folder.
  bool remove(const std::string& path);

 private:
  /// Opens the folder above a path, or returns the one of the call before; -1 and errno when it
  /// cannot be reached. The descriptor belongs to this object.
  int folder_above(const std::string& path);
  int open_below(const std::string& path) const;

  Resolver resolver_;
  int fd_ = -1;
  std::string opened_;  // the folder of opened_fd_
  int opened_fd_ = -1;
};

}  // namespace lapcast
