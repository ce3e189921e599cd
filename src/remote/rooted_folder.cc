#include "remote/rooted_folder.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string_view>

namespace lapcast {
namespace {

constexpr int kFolderFlags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;

/// Returns whether a path is "name/name/name", without "", "." and "..".
bool is_plain(std::string_view path) {
  while (true) {
    const std::size_t end = path.find('/');
    const std::string_view part = path.substr(0, end);
    if (part.empty() || part == "." || part == "..") return false;
    if (end == std::string_view::npos) return true;
    path.remove_prefix(end + 1);
  }
}

std::string_view name_of(const std::string& path) {
  return std::string_view(path).substr(path.rfind('/') + 1);  // npos + 1 = 0
}

/// Returns whether the kernel, or a sandbox in front of it, lacks openat2.
bool lacks_openat2(int error) {
  return error == ENOSYS || error == EPERM || error == EINVAL || error == E2BIG;
}

int open_by_kernel(int root, const std::string& path) {
  open_how how{};
  how.flags = kFolderFlags;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  return static_cast<int>(syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

int open_by_walk(int root, std::string_view path) {
  int fd = openat(root, ".", kFolderFlags);
  while (fd >= 0 && !path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const int next = openat(fd, std::string(path.substr(0, end)).c_str(), kFolderFlags);
    const int error = errno;
    close(fd);
    errno = error;
    fd = next;
    path.remove_prefix(std::min(end + 1, path.size()));
  }
  return fd;
}

}  // namespace

RootedFolder::RootedFolder(const std::filesystem::path& folder, Resolver resolver)
    : resolver_(resolver), fd_(open(folder.c_str(), kFolderFlags)) {}

RootedFolder::~RootedFolder() {
  if (opened_fd_ >= 0) close(opened_fd_);
  if (fd_ >= 0) close(fd_);
}

int RootedFolder::open_below(const std::string& path) const {
  if (resolver_ == Resolver::kernel) {
    const int fd = open_by_kernel(fd_, path);
    if (fd >= 0 || !lacks_openat2(errno)) return fd;
  }
  return open_by_walk(fd_, path);
}

int RootedFolder::folder_above(const std::string& path) {
  if (!is_plain(path)) {
    errno = EINVAL;
    return -1;
  }
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return fd_;
  const std::string above = path.substr(0, slash);
  if (opened_fd_ >= 0 && opened_ == above) return opened_fd_;
  if (opened_fd_ >= 0) close(opened_fd_);
  opened_fd_ = open_below(above);
  opened_ = above;
  return opened_fd_;
}

mode_t RootedFolder::type_of(const std::string& path) {
  struct stat info {};
  const int above = folder_above(path);
  const std::string name(name_of(path));
  if (above < 0 || fstatat(above, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return 0;
  return info.st_mode & S_IFMT;
}

bool RootedFolder::remove(const std::string& path) {
  const int above = folder_above(path);
  if (above < 0) return false;
  const std::string name(name_of(path));
  if (unlinkat(above, name.c_str(), 0) == 0) return true;
  if (errno != EISDIR && errno != EPERM) return false;
  return unlinkat(above, name.c_str(), AT_REMOVEDIR) == 0;
}

}  // namespace lapcast
