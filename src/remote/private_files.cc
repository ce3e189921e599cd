#include "remote/private_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "core/units.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Reason> failed(const char* what, const fs::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return because(
      fmt::format("cannot {} {}: {}{}", what, printable(path.string()), std::strerror(error),
                  full ? "; free some space, or name another place with folder = \"...\" "
                         "in the fleet file"
                       : ""));
}

}  // namespace

Result<void> make_private_folders(const fs::path& folder) {
  if (mkdir(folder.c_str(), 0700) == 0) return {};
  if (errno == EEXIST) {
    struct stat info {};
    if (stat(folder.c_str(), &info) == 0 && S_ISDIR(info.st_mode)) return {};
    return failed("make the folder", folder, ENOTDIR);
  }
  if (errno != ENOENT || !folder.has_relative_path())
    return failed("make the folder", folder, errno);
  if (auto above = make_private_folders(folder.parent_path()); !above) return above;
  if (mkdir(folder.c_str(), 0700) == 0 || errno == EEXIST) return {};
  return failed("make the folder", folder, errno);
}

Result<void> write_private_file(const fs::path& file, std::string_view text) {
  const fs::path draft = fmt::format("{}.{}", file.string(), new_id());
  const int fd = open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) return failed("write", file, errno);
  int error = append_whole(fd, text);
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(draft.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(draft.c_str());
  return failed("write", file, error);
}

int open_private_log(const fs::path& file) {
  return open(file.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
}

int append_whole(int fd, std::string_view text) {
  const off_t before = lseek(fd, 0, SEEK_END);
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      [[maybe_unused]] const int cut = ftruncate(fd, before);
      return error;
    }
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

std::string read_private_file(const fs::path& file, std::size_t max_bytes) {
  const int fd = open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  std::string text;
  if (fd < 0) return text;
  std::array<char, 64 * 1024> bytes;
  while (text.size() < max_bytes) {
    const ssize_t got = read(fd, bytes.data(), std::min(bytes.size(), max_bytes - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  close(fd);
  return text;
}

FileLock::FileLock(const fs::path& file)
    : fd_(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  try_again();
}

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

bool FileLock::try_again() {
  held_ = fd_ >= 0 && flock(fd_, LOCK_EX | LOCK_NB) == 0;
  return held_;
}

}  // namespace lapcast
