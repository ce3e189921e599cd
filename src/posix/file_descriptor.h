#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "core/result.h"

namespace lapcast {

/// Owns an open file descriptor and closes it.
class FileDescriptor {
 public:
  FileDescriptor() = default;
  explicit FileDescriptor(int fd) : fd_(fd) {}
  FileDescriptor(FileDescriptor&& other) noexcept : fd_(other.release()) {}
  FileDescriptor& operator=(FileDescriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    other.reset();
    return *this;
  }
  ~FileDescriptor() { reset(); }

  bool is_open() const { return fd_ >= 0; }
  /// Returns the descriptor; -1 when none is open, which poll(2) skips.
  int get() const { return fd_; }
  /// Gives the descriptor away, without closing it.
  int release() { return std::exchange(fd_, -1); }
  /// Closes the descriptor, if it is open.
  void reset();

 private:
  int fd_ = -1;
};

/// Holds both ends of a pipe, which programs that are started do not inherit.
struct Pipe {
  FileDescriptor read_end;
  FileDescriptor write_end;
};

/// The reason names the lack of file descriptors.
Result<Pipe> open_pipe();

void set_nonblocking(const FileDescriptor& fd);

/// Writes all bytes to a blocking descriptor. Returns false, with errno, when that failed part-way.
bool write_all(int fd, std::string_view bytes);

/// Appends what a descriptor gives now to `text`, up to `most` bytes in all. Returns false at the
/// end of the stream.
bool read_available(int fd, std::string& text, std::size_t most);

}  // namespace lapcast
