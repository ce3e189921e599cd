#include "suite/soak/holder.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/units.h"
#include "posix/files.h"
#include "probe/helper_process.h"
#include "probe/ids_and_time.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kSliceNs = 100'000'000;
constexpr std::int64_t kStepsOfAUnit = 1'000'000;

/// Waits for this many nanoseconds. Returns whether one of the descriptors became readable.
bool wait(std::int64_t ns, std::span<const int> wake_fds) {
  std::vector<pollfd> fds;
  for (const int fd : wake_fds) fds.push_back({fd, POLLIN, 0});
  const int ms = static_cast<int>(std::max<std::int64_t>(0, ns / 1'000'000));
  return poll(fds.data(), fds.size(), ms) > 0;
}

class CpuLoad : public LightLoad {
 public:
  explicit CpuLoad(double share) : share_(share) {}

  void go_on(Seconds time, std::span<const int> wake_fds) override {
    const MonotonicNs end = monotonic_ns() + to_ns(time);
    for (MonotonicNs now = monotonic_ns(); now < end; now = monotonic_ns()) {
      const MonotonicNs slice_end = std::min(end, now + kSliceNs);
      const auto busy = static_cast<std::int64_t>(share_ * static_cast<double>(slice_end - now));
      spin_until(now + busy);
      if (wait(slice_end - monotonic_ns(), wake_fds)) return;
      // poll() waits for whole milliseconds, and the rest is not worth a busy loop.
      if (slice_end == end && end - monotonic_ns() < 1'000'000) return;
    }
  }
  std::int64_t work() const override { return steps_ / kStepsOfAUnit; }

 private:
  void spin_until(MonotonicNs end) {
    while (monotonic_ns() < end)
      for (int i = 0; i < 10'000; ++i, ++steps_) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth, MMIX
        asm volatile("" : "+r"(state_));  // prevents the compiler from removing the computation
      }
  }
  double share_;
  std::int64_t steps_ = 0;
  std::uint64_t state_ = 1;
};

/// Runs the helper program. Reads its counts, one per line, and its message if it fails.
class CudaLoad : public LightLoad {
 public:
  explicit CudaLoad(double share) { start(share); }
  void go_on(Seconds time, std::span<const int> wake_fds) override {
    const MonotonicNs end = monotonic_ns() + to_ns(time);
    std::vector<int> fds(wake_fds.begin(), wake_fds.end());
    if (helper_) fds.push_back(helper_->fd());
    while (monotonic_ns() < end && !failed_) {
      if (!wait(end - monotonic_ns(), fds)) continue;
      if (!read_output()) return;
    }
  }
  std::int64_t work() const override { return work_; }
  std::optional<Reason> failed() const override { return failed_; }

 private:
  void start(double share) {
    auto helper =
        HelperProcess::start(cuda_program(), {"lapcast-cuda-load", std::to_string(share)});
    if (helper)
      helper_.emplace(std::move(*helper));
    else
      failed_ = Reason{"cannot start the load of the GPU: " + helper.error().text};
  }

  /// Processes the output of the helper. Returns false if there is none.
  bool read_output() {
    const auto printed = helper_->read();
    if (!printed) {
      failed_ = Reason{"the load of the GPU ended: " + printable(last_lines(said_, 1), 300)};
      return true;
    }
    if (printed->empty()) return false;
    said_ += *printed;
    if (said_.size() > 65'536) said_.erase(0, said_.size() - 4096);
    for (std::size_t end = 0; (end = said_.find('\n')) != std::string::npos;) {
      char* rest = nullptr;
      const long long count = std::strtoll(said_.c_str(), &rest, 10);
      if (rest != said_.c_str() + end) return true;  // not a count: the message of its failure
      work_ = count;
      said_.erase(0, end + 1);
    }
    return true;
  }

  std::optional<HelperProcess> helper_;
  std::string said_;
  std::int64_t work_ = 0;
  std::optional<Reason> failed_;
};

[[noreturn]] void fail(const fs::path& file, const std::string& what) {
  throw Error(ExitCode::system_failed,
              fmt::format("the heartbeats '{}' {}; choose another file with --heartbeats",
                          printable(file.native(), 500), what));
}

}  // namespace

std::unique_ptr<LightLoad> cpu_load(double share) {
  return std::make_unique<CpuLoad>(share);
}
std::unique_ptr<LightLoad> cuda_load(double share) {
  return std::make_unique<CudaLoad>(share);
}

HeartbeatFile::HeartbeatFile(fs::path file) : file_(std::move(file)) {
  if (file_.has_parent_path())
    if (const auto made = make_private_folders(file_.parent_path()); !made)
      fail(file_, "cannot be written: " + made.error().text);
  fd_ = FileDescriptor(
      open(file_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0600));
  if (!fd_.is_open()) fail(file_, fmt::format("cannot be opened ({})", std::strerror(errno)));
  struct stat status {};
  if (fstat(fd_.get(), &status) != 0 || !S_ISREG(status.st_mode))
    fail(file_, "are not a regular file");
  // On a file system without locks the user must prevent two writers.
  if (flock(fd_.get(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK)
    fail(file_, "are written by another lapcast");
  const off_t size = lseek(fd_.get(), 0, SEEK_END);
  char last = '\n';
  torn_ = size > 0 && pread(fd_.get(), &last, 1, size - 1) == 1 && last != '\n';
}

Result<void> HeartbeatFile::append(const Heartbeat& heartbeat) {
  const std::string name = printable(file_.native());
  const std::string line = (torn_ ? "\n" : "") + heartbeat_line(heartbeat);
  const ssize_t written = write(fd_.get(), line.data(), line.size());
  const int error = written < 0 ? errno : ENOSPC;
  const bool whole = written == static_cast<ssize_t>(line.size());
  torn_ = !whole && (torn_ || written > 0);
  if (!whole) return because(fmt::format("cannot write {} ({})", name, std::strerror(error)));
  // A file system that cannot sync returns EINVAL or EROFS, which is not an error of the disk.
  if (fsync(fd_.get()) == 0 || errno == EINVAL || errno == EROFS) return {};
  return because(fmt::format("{} may be lost ({})", name, std::strerror(errno)));
}

fs::path default_heartbeat_file() {
  const char* data = std::getenv("XDG_DATA_HOME");
  if (data != nullptr && *data != '\0') return fs::path(data) / "lapcast" / "heartbeats";
  const char* home = std::getenv("HOME");
  return fs::path(home == nullptr ? "." : home) / ".local/share/lapcast/heartbeats";
}

Instant instant_now() {
  return {clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME)};
}

std::string boot_id() {
  return heartbeat_word(read_system_line("/proc/sys/kernel/random/boot_id"));
}

std::optional<Reason> soak(const Soak& plan, LightLoad& load, const Interrupt& interrupt,
                           const HeartbeatSink& tell) {
  const std::string id = new_id();
  const Instant begin = instant_now();
  const std::int64_t end = plan.most ? begin.boot_ns + to_ns(*plan.most) : INT64_MAX;
  const int wake_fds[] = {interrupt.fd(), plan.leash_fd};
  if (load.failed()) return load.failed();
  bool wanted = tell(SessionBegin{begin, id, boot_id(), to_ns(plan.every), plan.device,
                                  heartbeat_word(plan.machine), false});
  for (std::int64_t next = begin.boot_ns; wanted && interrupt.count() == 0;) {
    const std::int64_t now = instant_now().boot_ns;
    if (now >= end) break;
    // After the machine was frozen the rhythm starts again.
    next = std::max(next + to_ns(plan.every), now);
    load.go_on(from_ns(std::min(next, end) - now), wake_fds);
    if (load.failed()) return load.failed();
    if (interrupt.count() > 0 || instant_now().boot_ns < std::min(next, end) - 2'000'000) break;
    wanted = tell(SessionBeat{instant_now(), id, load.work()});
  }
  if (wanted) tell(SessionEnd{instant_now(), id});
  return std::nullopt;
}

}  // namespace lapcast
