#include "probe/heartbeat_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "posix/private_files.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw Error(ExitCode::system_failed,
              fmt::format("the heartbeats '{}' {}; choose another file with --heartbeats",
                          printable(file.native(), 500), what));
}

}  // namespace

HeartbeatFile::HeartbeatFile(fs::path file) : file_(std::move(file)) {
  if (file_.has_parent_path())
    if (const auto made = make_private_folders(file_.parent_path()); !made)
      fail(file_, "cannot be written: " + made.error().text);
  fd_ = FileDescriptor(
      open(file_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!fd_.is_open()) fail(file_, fmt::format("cannot be opened ({})", std::strerror(errno)));
  struct stat status {};
  if (fstat(fd_.get(), &status) != 0 || !S_ISREG(status.st_mode))
    fail(file_, "are no regular file");
  // Where the file system knows no locks two writers are the user's own business.
  if (flock(fd_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    fail(file_, "are written by another lapcast");
  torn_ = ends_within_a_line();
}

bool HeartbeatFile::ends_within_a_line() const {
  const off_t size = lseek(fd_.get(), 0, SEEK_END);
  char last = '\n';
  return size > 0 && pread(fd_.get(), &last, 1, size - 1) == 1 && last != '\n';
}

Result<void> HeartbeatFile::append(const Heartbeat& heartbeat) {
  const std::string line = (torn_ ? "\n" : "") + heartbeat_line(heartbeat);
  const ssize_t written = write(fd_.get(), line.data(), line.size());
  const int error = written < 0 ? errno : ENOSPC;
  if (written == static_cast<ssize_t>(line.size())) {
    torn_ = false;
    // Not every file system that outlives a machine can (EINVAL); an error of the disk is told.
    if (fsync(fd_.get()) == 0 || errno == EINVAL || errno == EROFS) return {};
    return because(
        fmt::format("{} may be lost ({})", printable(file_.native()), std::strerror(errno)));
  }
  torn_ = torn_ || written > 0;
  return because(
      fmt::format("cannot write {} ({})", printable(file_.native()), std::strerror(error)));
}

fs::path default_heartbeat_file() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return fs::path(data) / "lapcast" / "heartbeats";
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".local/share/lapcast/heartbeats";
}

}  // namespace lapcast
