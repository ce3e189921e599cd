#include <fcntl.h>
#include <poll.h>
#include <sys/inotify.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "probe/clock.h"
#include "remote/record.h"
#include "remote/salvage.h"

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
  void wait() const {
    pollfd waiting{fd_, POLLIN, 0};
    poll(&waiting, 1, kLookEveryMs);
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
    }
    return true;
  }

 private:
  const RecordFolder& folder_;
  std::int64_t offset_;
  const std::function<bool(std::string_view)>& write_;
  int fd_ = -1;
  std::vector<char> bytes_ = std::vector<char>(256 * 1024);
};

}  // namespace

void follow_record(const RecordFolder& folder, std::int64_t offset,
                   const std::function<bool(std::string_view)>& write) {
  const GrowthWatch growth(folder.root());
  Follower follower(folder, offset, write);
  while (true) {
    // Looked at before the bytes are: what is finished now has all its bytes passed on below.
    const bool finished = folder.is_finished();
    const bool abandoned = !finished && !is_recorded_now(folder) && !folder.is_finished();
    if (abandoned) salvage(folder);
    if (!follower.pass_on() || finished || abandoned) return;
    growth.wait();
  }
}

}  // namespace lapcast
