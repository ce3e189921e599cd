#include "posix/file_descriptor.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cerrno>

namespace lapcast {

void FileDescriptor::reset() {
  if (fd_ >= 0) close(release());
}

Result<Pipe> open_pipe() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return because("cannot open a pipe: too many open files");
  return Pipe{FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

void set_nonblocking(const FileDescriptor& fd) {
  fcntl(fd.get(), F_SETFL, fcntl(fd.get(), F_GETFL) | O_NONBLOCK);
}

bool write_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written == 0) errno = ENOSPC;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool read_available(int fd, std::string& text, std::size_t most) {
  std::array<char, 64 * 1024> bytes;
  while (text.size() < most) {
    const ssize_t got = read(fd, bytes.data(), bytes.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    text.append(bytes.data(), static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace lapcast
