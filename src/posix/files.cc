#include "posix/files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <utility>

#include "core/nearest_name.h"
#include "core/units.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

tl::unexpected<Reason> failed(const char* what, const fs::path& path, int error) {
  const bool full = error == ENOSPC || error == EDQUOT;
  return because(fmt::format("cannot {} {}: {}{}", what, printable(path.string()),
                             std::strerror(error), full ? "; free some space there" : ""));
}

/// Opens a file without a name where the file system has such files, else one that is removed at
/// once. Returns -1 with errno when neither is possible.
int open_nameless(const fs::path& folder) {
  const int fd = open(folder.c_str(), O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);
  if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != ENOENT)) return fd;
  std::string name = (folder / "lapcast-test-XXXXXX").string();
  const int named = mkostemp(name.data(), O_CLOEXEC);
  if (named >= 0) unlink(name.c_str());
  return named;
}

}  // namespace

void FileDescriptor::reset() {
  if (fd_ >= 0) close(release());
}

Result<Pipe> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return because("cannot open a pipe: too many open files");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

Result<Pipe> open_raw_terminal() {
  FileDescriptor reader(posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC));
  std::array<char, 64> name{};
  if (!reader.is_open() || grantpt(reader.get()) != 0 || unlockpt(reader.get()) != 0 ||
      ptsname_r(reader.get(), name.data(), name.size()) != 0)
    return because("cannot open a terminal for the program's output");
  FileDescriptor writer(open(name.data(), O_RDWR | O_NOCTTY | O_CLOEXEC));
  termios settings{};
  if (!writer.is_open() || tcgetattr(writer.get(), &settings) != 0)
    return because("cannot open a terminal for the program's output");
  cfmakeraw(&settings);
  tcsetattr(writer.get(), TCSANOW, &settings);
  const winsize size{.ws_row = 24, .ws_col = 120};
  ioctl(writer.get(), TIOCSWINSZ, &size);
  return Pipe{std::move(reader), std::move(writer)};
}

void set_nonblocking(const FileDescriptor& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0 && errno == EAGAIN) {
      pollfd writable{fd, POLLOUT, 0};
      poll(&writable, 1, -1);
      continue;
    }
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_available(int fd, std::string& text, std::size_t most) {
  std::array<char, 64 * 1024> bytes;
  while (text.size() < most) {
    const ssize_t got = read(fd, bytes.data(), std::min(bytes.size(), most - text.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) errno = 0;
    if (got == 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return true;
}

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
    std::error_code ignored;
    if (fs::is_directory(folder, ignored)) return {};
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

std::string text_of_file(const fs::path& file, std::size_t max_bytes) {
  const FileDescriptor fd(open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  std::string text;
  if (fd.is_open()) read_available(fd.get(), text, max_bytes);
  return text;
}

FileLock::FileLock(const fs::path& file) : fd_(open_private_file(file)), error_(errno) {
  try_again();
}

bool FileLock::try_again() {
  if (fd_.is_open()) error_ = flock(fd_.get(), LOCK_EX | LOCK_NB) == 0 ? 0 : errno;
  return is_held();
}

std::string read_system_line(const std::string& path) {
  constexpr const char* kBlanks = " \t\r\n";
  std::string text = text_of_file(path, 4096);
  text.erase(text.find_last_not_of(kBlanks) + 1);
  return text.erase(0, text.find_first_not_of(kBlanks));
}

std::vector<std::string> list_system_directory(const std::string& path) {
  std::vector<std::string> names;
  std::error_code error;
  for (auto entry = fs::directory_iterator(path, error);
       !error && entry != fs::directory_iterator(); entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::ranges::sort(names);
  return names;
}

int write_system_file(const std::string& path, const std::string& text) {
  const FileDescriptor fd(open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  const ssize_t written = fd.is_open() ? write(fd.get(), text.data(), text.size()) : -1;
  return written == static_cast<ssize_t>(text.size()) ? 0 : written < 0 ? errno : EIO;
}

std::optional<std::string> why_not_writable(const fs::path& folder) {
  const int fd = open_nameless(folder);
  if (fd < 0) return std::strerror(errno);
  int error = write_all(fd, std::string(64 * 1024, '\0')) ? 0 : errno;
  if (close(fd) != 0 && error == 0) error = errno;  // a network file system may report it only now
  if (error == 0) return std::nullopt;
  return std::strerror(error);
}

bool has_full_disk(const fs::path& folder) {
  struct statvfs info {};
  if (statvfs(folder.c_str(), &info) != 0) return false;
  const auto blocks = geteuid() == 0 ? info.f_bfree : info.f_bavail;
  return (info.f_blocks > 0 && blocks == 0) || (info.f_files > 0 && info.f_favail == 0);
}

std::string did_you_mean_file(const std::string& path, std::string_view otherwise) {
  constexpr std::size_t kMostEntries = 1000;
  const std::filesystem::path wanted(path);
  const auto folder = wanted.has_parent_path() ? wanted.parent_path() : ".";
  std::vector<std::string> names;
  std::error_code error;
  auto entry = std::filesystem::directory_iterator(folder, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    names.push_back(entry->path().filename().string());
    if (names.size() == kMostEntries) break;
  }
  std::ranges::sort(names);
  const std::string_view nearest =
      nearest_name(wanted.filename().native(), {names.begin(), names.end()});
  if (nearest.empty()) return std::string(otherwise);
  std::filesystem::path meant = wanted;
  return fmt::format("did you mean '{}'?", printable(meant.replace_filename(nearest).native()));
}

}  // namespace lapcast
