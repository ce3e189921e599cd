#include "probe/child_process.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "posix/descendants.h"

namespace lapcast {
namespace {

void add_usage(Usage& total, const rusage& used) {
  const auto seconds = [](const timeval& time) {
    return Seconds{static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6};
  };
  total.user += seconds(used.ru_utime);
  total.system += seconds(used.ru_stime);
  total.peak_rss_bytes = std::max<std::int64_t>(total.peak_rss_bytes,
                                                static_cast<std::int64_t>(used.ru_maxrss) * 1024);
  total.minor_faults += used.ru_minflt;
}

}  // namespace

Result<ChildProcess> ChildProcess::start(SpawnSpec spec) {
  Result<Pipe> output = open_pipe();
  Result<Pipe> error_output = open_pipe();
  if (!output || !error_output) return tl::unexpected((output ? error_output : output).error());
  for (const Pipe* pipe : {&*output, &*error_output}) set_nonblocking(pipe->read_end);
  spec.streams = {kNullStream, output->write_end.get(), error_output->write_end.get()};
  spec.group = ProcessGroup::own;
  spec.signal_at_parent_death = SIGKILL;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Result<pid_t> pid = spawn(spec);
  if (!pid) return tl::unexpected(pid.error());
  return ChildProcess(*pid, std::move(output->read_end), std::move(error_output->read_end));
}

ChildProcess::ChildProcess(pid_t pid, FileDescriptor output_fd, FileDescriptor error_fd)
    : pid_(pid),
      exit_fd_(open_process(pid)),
      output_fd_(std::move(output_fd)),
      error_fd_(std::move(error_fd)) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      exit_fd_(std::move(other.exit_fd_)),
      output_fd_(std::move(other.output_fd_)),
      error_fd_(std::move(other.error_fd_)),
      reaped_(other.reaped_),
      usage_(other.usage_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !reaped_) {
    signal_group(SIGKILL);
    wait_for(pid_);
  }
  if (pid_ > 0) kill_lingering();
}

void ChildProcess::signal_group(int signal) const {
  if (pid_ > 0) kill(-pid_, signal);
}

std::optional<ExitStatus> ChildProcess::reap() {
  siginfo_t info{};
  if (reaped_ || waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_)
    return std::nullopt;
  signal_group(SIGKILL);  // while the dead leader still holds the group's number
  int status = 0;
  rusage used{};
  wait4(pid_, &status, 0, &used);
  reaped_ = true;
  add_usage(usage_, used);
  return WIFSIGNALED(status) ? ExitStatus{0, WTERMSIG(status)} : ExitStatus{WEXITSTATUS(status), 0};
}

int ChildProcess::kill_lingering() {
  return kill_children([](pid_t) { return true; },
                       [&](const rusage& used) { add_usage(usage_, used); });
}

}  // namespace lapcast
