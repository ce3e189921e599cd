#include "machine/system_disk.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace lapcast {
namespace {

/// Opens a file without a name where the file system can, else one that is removed at once. Returns
/// -1 with errno when neither is possible.
int open_nameless(const std::filesystem::path& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
  std::string name = (folder / "lapcast-test-XXXXXX").string();
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

std::optional<std::string> why_not_writable(const std::filesystem::path& folder) {
  constexpr std::size_t kBytes = 64 * 1024;
  const int fd = open_nameless(folder);
  if (fd < 0) return std::strerror(errno);
  const std::array<char, 4096> page{};
  int error = 0;
  for (std::size_t written = 0; written < kBytes && error == 0; written += page.size()) {
    const ssize_t put = write(fd, page.data(), page.size());
    if (put != static_cast<ssize_t>(page.size())) error = put < 0 ? errno : ENOSPC;
  }
  if (close(fd) != 0 && error == 0) error = errno;  // where a network file system says so
  if (error == 0) return std::nullopt;
  return std::strerror(error);
}

bool has_full_disk(const std::filesystem::path& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return false;
  const auto blocks = geteuid() == 0 ? info.f_bfree : info.f_bavail;
  return (info.f_blocks > 0 && blocks == 0) || (info.f_files > 0 && info.f_favail == 0);
}

}  // namespace lapcast
