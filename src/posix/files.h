#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.h"

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
  /// Returns the descriptor, or -1 when none is open. poll(2) skips -1.
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

/// Opens a pipe. The reason of a failure says that file descriptors are lacking.
Result<Pipe> open_pipe();

/// Opens a terminal that passes bytes on as they are: what is written to its write_end is read from
/// its read_end. A program that writes to it does not hold lines back. The reason of a failure says
/// what is lacking.
Result<Pipe> open_raw_terminal();

/// Lets reads and writes of a descriptor fail with EAGAIN instead of waiting.
void set_nonblocking(const FileDescriptor& fd);

/// Writes all bytes to a descriptor, and waits while it takes no more, because another program may
/// have made a shared terminal non-blocking. Returns false and sets errno when it fails part-way.
bool write_all(int fd, std::string_view bytes);

/// Appends the bytes that a descriptor has now to `text`, up to `most` bytes of text. Returns false
/// at the end of the stream and after an error; errno is 0 at the end.
bool read_available(int fd, std::string& text, std::size_t most);

// The functions below make files and folders for this user alone, with mode 0600 and 0700. Their
// reasons name the path and the system's error.

/// Says what nobody else may do with a path.
enum class Forbidden { nothing, writing, any_use };

/// Returns whether a path belongs to this user, is of this kind (S_IFDIR or S_IFREG; a link is
/// neither), and grants nobody else what is forbidden.
bool is_own_path(const std::filesystem::path& path, mode_t kind, Forbidden forbidden);

/// Makes a folder and the folders above it that do not exist yet. Existing ones keep their mode.
Result<void> make_private_folders(const std::filesystem::path& folder);

/// Writes a file in one step. The file then holds the whole text; after a failure it is unchanged.
Result<void> write_private_file(const std::filesystem::path& file, std::string_view text);

/// Opens a file for reading and writing, and creates it when it does not exist. Never follows a
/// link. Adds `flags` to those of open(2). Returns a descriptor that is not open, and sets errno,
/// when the file cannot be opened.
FileDescriptor open_private_file(const std::filesystem::path& file, int flags = 0);

/// Opens a file as open_private_file() does. Every write appends to the end of the file.
FileDescriptor open_private_log(const std::filesystem::path& file);

/// Appends the whole text to an open file, or nothing: it removes a part that was written before a
/// failure. Returns 0 or errno.
int append_whole(int fd, std::string_view text);

/// Returns the first `max_bytes` of a file; empty when it cannot be read. Never blocks on a pipe or
/// a device.
std::string text_of_file(const std::filesystem::path& file, std::size_t max_bytes = 64 << 20);

/// Holds a lock on a file until it is destroyed, or its process ends.
class FileLock {
 public:
  /// Tries to take the lock without waiting; is_held() says whether that succeeded. Creates the
  /// file when it does not exist.
  explicit FileLock(const std::filesystem::path& file);
  bool is_held() const { return error_ == 0; }
  /// Tries once more, and returns whether the lock is held now.
  bool try_again();
  /// Returns why the lock is not held; EWOULDBLOCK when another process holds it.
  int error() const { return error_; }

 private:
  FileDescriptor fd_;
  int error_ = 0;
};

/// Returns the text of a file of /proc, /sys or /etc, at most 4096 bytes, without blanks around it;
/// empty when it cannot be read.
std::string read_system_line(const std::string& path);

/// Returns the names in a directory, sorted, without "." and ".."; empty when it cannot be read.
std::vector<std::string> list_system_directory(const std::string& path);

/// Writes text into an existing file in one write, and never creates the file. Returns 0 or errno.
int write_system_file(const std::string& path, const std::string& text);

/// Returns why 64 KiB cannot be written into a folder, such as "No space left on device", "Disk
/// quota exceeded" or "Read-only file system". Returns none when they can. Tries it with a file
/// that is gone afterwards.
std::optional<std::string> why_not_writable(const std::filesystem::path& folder);

/// Returns whether the file system of a folder has no block or no inode left for this user. Writes
/// nothing.
bool has_full_disk(const std::filesystem::path& folder);

/// Returns "did you mean 'train.py'?" for a path such as "trian.py" whose folder has an entry with
/// nearly that name; else `otherwise`. It looks at the first 1000 entries of the folder.
std::string did_you_mean_file(const std::string& path, std::string_view otherwise);

}  // namespace lapcast
