#include "posix/private_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/units.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Reason> failed(const char* what, const fs::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return because(fmt::format("cannot {} {}: {}{}", what, printable(path.string()),
                             std::strerror(error), full ? "; free some space there" : ""));
}

}  // namespace

bool is_own_path(const fs::path& path, mode_t kind, Forbidden forbidden) {
  const mode_t bits = forbidden == Forbidden::any_use   ? S_IRWXG | S_IRWXO
                      : forbidden == Forbidden::writing ? S_IWGRP | S_IWOTH
                                                        : 0;
  struct stat info {};
  return lstat(path.c_str(), &info) == 0 && (info.st_mode & S_IFMT) == kind &&
         info.st_uid == geteuid() && (info.st_mode & bits) == 0;
}

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
  std::string draft = file.string() + ".XXXXXX";
  const int fd = mkostemp(draft.data(), O_CLOEXEC);  // 0600
  if (fd < 0) return failed("write", file, errno);
  int error = append_whole(fd, text);
  if (close(fd) != 0 && error == 0) error = errno;
  if (error == 0 && rename(draft.c_str(), file.c_str()) != 0) error = errno;
  if (error == 0) return {};
  unlink(draft.c_str());
  return failed("write", file, error);
}

FileDescriptor open_private_file(const fs::path& file, int flags) {
  return FileDescriptor(
      open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | flags, 0600));
}

FileDescriptor open_private_log(const fs::path& file) {
  return open_private_file(file, O_APPEND);
}

int append_whole(int fd, std::string_view text) {
  const off_t before = lseek(fd, 0, SEEK_END);
  if (write_all(fd, text)) return 0;
  const int error = errno;
  [[maybe_unused]] const int cut = ftruncate(fd, before);
  return error;
}

std::string read_private_file(const fs::path& file, std::size_t max_bytes) {
  const FileDescriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string text;
  if (fd.is_open()) read_available(fd.get(), text, max_bytes);
  if (text.size() > max_bytes) text.resize(max_bytes);
  return text;
}

FileLock::FileLock(const fs::path& file) : fd_(open_private_file(file)) {
  if (fd_.is_open())
    try_again();
  else
    error_ = errno;
}

bool FileLock::try_again() {
  held_ = fd_.is_open() && flock(fd_.get(), LOCK_EX | LOCK_NB) == 0;
  if (fd_.is_open()) error_ = held_ ? 0 : errno;
  return held_;
}

}  // namespace lapcast
