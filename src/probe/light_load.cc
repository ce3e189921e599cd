#include "probe/light_load.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "core/units.h"
#include "probe/clock.h"
#include "probe/cuda_program.h"
#include "probe/output_capture.h"

namespace lapcast {
namespace {

constexpr std::int64_t kSliceNs = 100'000'000;
constexpr std::int64_t kStepsOfAUnit = 1'000'000;

/// Waits; true when one of the descriptors woke it.
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

/// The helper as a file that only this process and its child see; -1 when there is none.
int helper_file() {
  const int fd = memfd_create("lapcast-cuda-load", MFD_CLOEXEC);
  for (std::string_view rest = cuda_program(); fd >= 0 && !rest.empty();) {
    const ssize_t written = write(fd, rest.data(), rest.size());
    if (written <= 0) break;
    rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return fd;
}

/// Reads the helper's counts, one a line, and what it says when it fails.
class CudaLoad : public LightLoad {
 public:
  explicit CudaLoad(double share) { start(share); }
  ~CudaLoad() override {
    if (pid_ > 0) kill(pid_, SIGKILL);
    reap();
    if (output_fd_ >= 0) close(output_fd_);
  }

  void go_on(Seconds time, std::span<const int> wake_fds) override {
    const MonotonicNs end = monotonic_ns() + static_cast<std::int64_t>(time.count() * 1e9);
    std::vector<int> fds(wake_fds.begin(), wake_fds.end());
    fds.push_back(output_fd_);
    while (monotonic_ns() < end && !failed_) {
      if (!wait(end - monotonic_ns(), fds)) continue;
      if (!read_output()) return;
    }
  }
  std::int64_t work() const override { return work_; }
  std::optional<Reason> failed() const override { return failed_; }

 private:
  void start(double share) {
    const int helper = helper_file();
    int ends[2];
    if (helper < 0 || pipe2(ends, O_CLOEXEC) != 0) {
      failed_ = Reason{fmt::format("cannot start the load of the GPU: {}", std::strerror(errno))};
      return;
    }
    const pid_t parent = getpid();
    pid_ = fork();
    if (pid_ == 0) run(helper, ends[1], parent, share);
    close(helper);
    close(ends[1]);
    output_fd_ = ends[0];
    fcntl(output_fd_, F_SETFL, O_NONBLOCK);
    if (pid_ < 0) failed_ = Reason{"cannot start a process for the load of the GPU"};
  }

  [[noreturn]] static void run(int helper, int output, pid_t parent, double share) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) _exit(1);
    dup2(output, STDOUT_FILENO);
    dup2(output, STDERR_FILENO);
    const std::string text = std::to_string(share);
    const char* arguments[] = {"lapcast-cuda-load", text.c_str(), nullptr};
    fexecve(helper, const_cast<char* const*>(arguments), environ);
    dprintf(STDERR_FILENO, "this machine cannot run it: %s\n", std::strerror(errno));
    _exit(127);
  }

  /// False when a wake-up was not the helper's.
  bool read_output() {
    char bytes[4096];
    const ssize_t got = read(output_fd_, bytes, sizeof bytes);
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
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

  pid_t pid_ = -1;
  int output_fd_ = -1;
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
