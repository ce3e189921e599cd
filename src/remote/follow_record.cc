#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "remote/agent_protocol.h"
#include "remote/patience.h"
#include "remote/record.h"

namespace lapcast {
namespace {

constexpr int kLookEveryMs = 200;  // a shared file system tells nobody that a file grew

/// Waits until a file of a folder grows.
class GrowthWatch {
 public:
  explicit GrowthWatch(const std::filesystem::path& folder)
      : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
    if (fd_ >= 0) inotify_add_watch(fd_, folder.c_str(), IN_MODIFY | IN_CREATE);
  }
  ~GrowthWatch() {
    if (fd_ >= 0) close(fd_);
  }
  GrowthWatch(const GrowthWatch&) = delete;
  GrowthWatch& operator=(const GrowthWatch&) = delete;
  void wait(int input_fd, int at_most_ms = kLookEveryMs) const {
    pollfd waiting[] = {{fd_, POLLIN, 0}, {input_fd, POLLIN, 0}};
    poll(waiting, 2, at_most_ms);
    std::array<char, 4096> events;
    while (read(fd_, events.data(), events.size()) > 0) {
    }
  }

 private:
  int fd_;
};

/// Reads a record while it grows; the record may be absent at first.
class RecordReader {
 public:
  RecordReader(const RecordFolder& folder, std::int64_t offset,
               const std::function<bool(std::string_view)>& write)
      : folder_(folder), offset_(offset), write_(write) {}
  ~RecordReader() {
    if (fd_ >= 0) close(fd_);
  }
  RecordReader(const RecordReader&) = delete;
  RecordReader& operator=(const RecordReader&) = delete;

  /// Passes on the bytes that are new. Returns false when nobody takes them any more.
  bool pass_on() {
    if (fd_ < 0) fd_ = open(folder_.record_file().c_str(), O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    while (fd_ >= 0 && (got = pread(fd_, bytes_.data(), bytes_.size(), offset_)) > 0) {
      if (!write_({bytes_.data(), static_cast<std::size_t>(got)})) return false;
      offset_ += got;
      line_is_whole_ = bytes_[static_cast<std::size_t>(got) - 1] == '\n';
      said_ns_ = monotonic_ns();
    }
    if (!line_is_whole_) return true;
    if (std::exchange(was_at_end_, true)) return say_alive();
    return write_(to_line(message::SignOfLife{}));  // the coordinator has the whole record now
  }

 private:
  bool say_alive() {
    if (monotonic_ns() - said_ns_ < kSignOfLifeEvery) return true;
    said_ns_ = monotonic_ns();
    return write_(to_line(message::SignOfLife{}));
  }

  const RecordFolder& folder_;
  std::int64_t offset_;
  bool line_is_whole_ = true;
  bool was_at_end_ = false;
  MonotonicNs said_ns_ = monotonic_ns();
  const std::function<bool(std::string_view)>& write_;
  int fd_ = -1;
  std::vector<char> bytes_ = std::vector<char>(256 * 1024);
};

/// Reads the orders of a coordinator, and writes them down for the recorder.
class OrderListener {
 public:
  OrderListener(const RecordFolder& folder, int fd) : folder_(folder), fd_(fd) {
    if (fd_ >= 0) fcntl(fd_, F_SETFL, fcntl(fd_, F_GETFL) | O_NONBLOCK);
  }
  int fd() const { return fd_; }  // -1 = nothing more will come
  bool wants_removal() const { return remove_; }
  void listen() {
    std::array<char, 4096> bytes;
    while (fd_ >= 0) {
      const ssize_t got = read(fd_, bytes.data(), bytes.size());
      if (got < 0 && (errno == EAGAIN || errno == EINTR)) break;
      if (got <= 0) fd_ = -1;
      if (got > 0) lines_.append({bytes.data(), static_cast<std::size_t>(got)});
    }
    while (const auto line = lines_.next()) {
      if (*line == kRemoveOrder)
        remove_ = true;
      else
        static_cast<void>(folder_.give_order(*line));
    }
  }

 private:
  const RecordFolder& folder_;
  int fd_;
  bool remove_ = false;
  LineBuffer lines_;
};

/// Waits, after the result, for the order to remove the folder or for the end of the input.
void wait_for_removal(const RecordFolder& folder, OrderListener& listener,
                      const GrowthWatch& growth) {
  constexpr int kLong = 60'000;
  while (!listener.wants_removal() && listener.fd() >= 0) {
    growth.wait(listener.fd(), kLong);
    listener.listen();
  }
  std::error_code ignored;
  if (listener.wants_removal()) std::filesystem::remove_all(folder.root(), ignored);
}

}  // namespace

void follow_record(const RecordFolder& folder, std::int64_t offset,
                   const std::function<bool(std::string_view)>& write, int input_fd,
                   const std::function<bool()>& record_again) {
  const GrowthWatch growth(folder.root());
  RecordReader reader(folder, offset, write);
  OrderListener listener(folder, input_fd);
  while (true) {
    // Asked before the bytes are read, so that a finished record is passed on to its end.
    const bool finished = folder.is_finished();
    const bool abandoned = !finished && !is_recorded_now(folder) && !folder.is_finished() &&
                           !(record_again && record_again());
    if (abandoned) recover_result(folder);
    if (!reader.pass_on()) return;
    if (finished || abandoned) break;
    growth.wait(listener.fd());
    listener.listen();
  }
  wait_for_removal(folder, listener, growth);
}

}  // namespace lapcast
