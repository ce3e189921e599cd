#include "probe/light_load.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "posix/spawn.h"
#include "probe/clock.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

constexpr std::int64_t kSliceNs = 100'000'000;
constexpr std::int64_t kStepsOfAUnit = 1'000'000;

/// Waits. Returns whether one of the descriptors became readable.
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
    const MonotonicNs end = monotonic_ns() + static_cast<std::int64_t>(time.count() * 1e9);
    for (MonotonicNs now = monotonic_ns(); now < end; now = monotonic_ns()) {
      const MonotonicNs slice_end = std::min(end, now + kSliceNs);
      const auto busy = static_cast<std::int64_t>(share_ * static_cast<double>(slice_end - now));
      spin_until(now + busy);
      if (wait(slice_end - monotonic_ns(), wake_fds)) return;
      // poll() knows only whole milliseconds: the rest is not worth a busy loop.
      if (slice_end == end && end - monotonic_ns() < 1'000'000) return;
    }
  }
  std::int64_t work() const override { return steps_ / kStepsOfAUnit; }

 private:
  void spin_until(MonotonicNs end) {
    while (monotonic_ns() < end)
      for (int i = 0; i < 10'000; ++i, ++steps_) {
        state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;  // Knuth, MMIX
        asm volatile("" : "+r"(state_));  // so that it is really computed
      }
  }
  double share_;
  std::int64_t steps_ = 0;
  std::uint64_t state_ = 1;
};

/// Returns the helper as a file that only this process and its children see; not open when it
/// cannot be made.
FileDescriptor helper_file() {
  FileDescriptor file(memfd_create("lapcast-cuda-load", MFD_CLOEXEC));
  if (file.is_open() && !write_all(file.get(), cuda_program())) file.reset();
  return file;
}

/// Runs the helper. Reads its counts, one a line, and what it says when it fails.
class CudaLoad : public LightLoad {
 public:
  explicit CudaLoad(double share) { start(share); }
  ~CudaLoad() override {
    if (pid_ > 0) kill(pid_, SIGKILL);
    reap();
  }

  void go_on(Seconds time, std::span<const int> wake_fds) override {
    const MonotonicNs end = monotonic_ns() + static_cast<std::int64_t>(time.count() * 1e9);
    std::vector<int> fds(wake_fds.begin(), wake_fds.end());
    fds.push_back(output_.get());
    while (monotonic_ns() < end && !failed_) {
      if (!wait(end - monotonic_ns(), fds)) continue;
      if (!read_output()) return;
    }
  }
  std::int64_t work() const override { return work_; }
  std::optional<Reason> failed() const override { return failed_; }

 private:
  void start(double share) {
    const FileDescriptor helper = helper_file();
    Result<Pipe> output = open_pipe();
    if (!helper.is_open() || !output) {
      failed_ = Reason{fmt::format("cannot start the load of the GPU: {}", std::strerror(errno))};
      return;
    }
    const Result<pid_t> pid =
        spawn({.arguments = {"lapcast-cuda-load", std::to_string(share)},
               .file = fmt::format("/proc/self/fd/{}", helper.get()),
               .streams = {kInheritedStream, output->write_end.get(), output->write_end.get()},
               .signal_at_parent_death = SIGKILL});
    if (!pid) {
      failed_ = Reason{"cannot start the load of the GPU: " + pid.error().text};
      return;
    }
    pid_ = *pid;
    output_ = std::move(output->read_end);
    set_nonblocking(output_);
  }

  /// Takes in what the helper printed. Returns false when it printed nothing.
  bool read_output() {
    char bytes[4096];
    const ssize_t got = read(output_.get(), bytes, sizeof bytes);
    if (got < 0) return false;
    if (got == 0) {
      reap();
      failed_ = Reason{"the load of the GPU ended: " + printable(last_lines(said_, 1), 300)};
      return true;
    }
    said_.append(bytes, static_cast<std::size_t>(got));
    if (said_.size() > 65'536) said_.erase(0, said_.size() - 4096);
    for (std::size_t end = 0; (end = said_.find('\n')) != std::string::npos;) {
      char* rest = nullptr;
      const long long count = std::strtoll(said_.c_str(), &rest, 10);
      if (rest != said_.c_str() + end) return true;  // no count: what it says of its failure
      work_ = count;
      said_.erase(0, end + 1);
    }
    return true;
  }

  void reap() {
    if (pid_ > 0) wait_for(pid_);
    pid_ = -1;
  }

  pid_t pid_ = -1;
  FileDescriptor output_;
  std::string said_;
  std::int64_t work_ = 0;
  std::optional<Reason> failed_;
};

}  // namespace

std::unique_ptr<LightLoad> cpu_load(double share) {
  return std::make_unique<CpuLoad>(share);
}
std::unique_ptr<LightLoad> cuda_load(double share) {
  return std::make_unique<CudaLoad>(share);
}

}  // namespace lapcast
