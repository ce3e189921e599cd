#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <vector>

#include "probe/clock.h"
#include "remote/patience.h"
#include "remote/probe_lines.h"
#include "remote/record.h"
#include "remote/recovered_run.h"

namespace lapcast {
namespace {

constexpr int kLookEveryMs = 200;  // where the file system tells nobody: one that is shared

/// Tells when a file grows.
class GrowthWatch {
 public:
  explicit GrowthWatch(const std::filesystem::path& folder) : fd_(inotify_init1(IN_CLOEXEC | IN_NONBLOCK)) {
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

/// A record that is read while it grows; it need not be there yet.
class Follower {
 public:
  Follower(const RecordFolder& folder, std::int64_t offset,
           const std::function<bool(std::string_view)>& write)
      : folder_(folder), offset_(offset), write_(write) {}
  ~Follower() {
    if (fd_ >= 0) close(fd_);
  }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  /// False when nobody takes it any more.
  bool pass_on() {
    if (fd_ < 0) fd_ = open(folder_.record_file().c_str(), O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    while (fd_ >= 0 && (got = pread(fd_, bytes_.data(), bytes_.size(), offset_)) > 0) {
      if (!write_({bytes_.data(), static_cast<std::size_t>(got)})) return false;
      offset_ += got;
      line_is_whole_ = bytes_[static_cast<std::size_t>(got) - 1] == '\n';
      said_ns_ = monotonic_ns();
    }
    return line_is_whole_ ? say_alive() : true;
  }

 private:
  bool say_alive() {
    if (monotonic_ns() - said_ns_ < kSignOfLifeEvery) return true;
    said_ns_ = monotonic_ns();
    return write_(std::string(kSignOfLife) + "\n");
  }

  const RecordFolder& folder_;
  std::int64_t offset_;
  bool line_is_whole_ = true;
  MonotonicNs said_ns_ = monotonic_ns();
  const std::function<bool(std::string_view)>& write_;
  int fd_ = -1;
  std::vector<char> bytes_ = std::vector<char>(256 * 1024);
};

/// What the coordinator says on the line that it listens on.
class Listener {
 public:
  Listener(const RecordFolder& folder, int fd) : folder_(folder), fd_(fd) {
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
      if (*line == "remove")
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

/// After the result: until it may be removed, or nobody is there to say so.
void wait_for_removal(const RecordFolder& folder, Listener& listener, const GrowthWatch& growth) {
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
                   const std::function<bool(std::string_view)>& write, int input_fd) {
  const GrowthWatch growth(folder.root());
  Follower follower(folder, offset, write);
  Listener listener(folder, input_fd);
  while (true) {
    // Looked at before the bytes are: what is finished now has all its bytes passed on below.
    const bool finished = folder.is_finished();
    const bool abandoned = !finished && !is_recorded_now(folder) && !folder.is_finished();
    if (abandoned) salvage(folder);
    if (!follower.pass_on()) return;
    if (finished || abandoned) break;
    growth.wait(listener.fd());
    listener.listen();
  }
  wait_for_removal(folder, listener, growth);
}

}  // namespace lapcast
