#include "probe/child_process.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <utility>

#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "probe/ids_and_time.h"
#include "probe/processes.h"
#include "run/text_bytes.h"

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

/// Waits for output and passes it on to this process's own streams. A source that has ended, or
/// that nobody reads any more, becomes -1.
void relay(std::array<int, 2>& sources) {
  std::array<pollfd, 2> fds{{{sources[0], POLLIN, 0}, {sources[1], POLLIN, 0}}};
  if (poll(fds.data(), fds.size(), -1) < 0) return;
  char buffer[64 * 1024];
  for (std::size_t i = 0; i < fds.size(); ++i) {
    if (fds[i].revents == 0) continue;
    const ssize_t got = read(sources[i], buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    const int target = i == 0 ? STDOUT_FILENO : STDERR_FILENO;
    if (got > 0 && write_all(target, {buffer, static_cast<std::size_t>(got)})) continue;
    close(sources[i]);
    sources[i] = -1;
  }
}

LeftProcess process_of(pid_t pid) {
  constexpr std::size_t kMostWords = 4096;  // bytes of a command line
  const std::string process = fmt::format("/proc/{}/", pid);
  LeftProcess result{read_system_line(process + "comm"), {}};
  std::string words = text_of_file(process + "cmdline", kMostWords);
  if (words.ends_with('\0')) words.pop_back();
  for (const std::string_view word : split(words, '\0')) result.arguments.emplace_back(word);
  return result;
}

std::string how(const ExitStatus& status) {
  return status.signal != 0 ? fmt::format("ended with signal {}", status.signal)
                            : fmt::format("failed with exit status {}", status.status);
}

}  // namespace

Result<std::unique_ptr<ChildProcess>> ChildProcess::start(SpawnSpec spec, const Connection& how) {
  Result<Pipe> output = how.output_on_terminal ? open_raw_terminal() : open_pipe();
  Result<Pipe> error_output = open_pipe();
  if (!output || !error_output) return tl::unexpected((output ? error_output : output).error());
  for (const Pipe* pipe : {&*output, &*error_output}) set_nonblocking(pipe->read_end);
  spec.streams = {how.inherits_input ? kInheritedStream : kNullStream, output->write_end.get(),
                  error_output->write_end.get()};
  spec.group = ProcessGroup::own;
  spec.joined_group = how.joined_group;
  spec.signal_at_parent_death = SIGKILL;
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const Result<pid_t> pid = spawn(spec);
  if (!pid) return tl::unexpected(pid.error());
  return std::unique_ptr<ChildProcess>(new ChildProcess(
      *pid, how.joined_group, std::move(output->read_end), std::move(error_output->read_end)));
}

ChildProcess::ChildProcess(pid_t pid, std::optional<pid_t> joined_group, FileDescriptor output_fd,
                           FileDescriptor error_fd)
    : pid_(pid),
      joined_group_(joined_group),
      exit_fd_(open_process(pid)),
      output_fd_(std::move(output_fd)),
      error_fd_(std::move(error_fd)) {}

ChildProcess::~ChildProcess() {
  if (!reaped_) {
    signal_group(SIGKILL);
    wait_for(pid_);
  }
  end_rest();
}

void ChildProcess::signal_group(int signal) const {
  if (!joined_group_) {
    kill(-pid_, signal);
    return;
  }
  // The program may have made a group of its own.
  if (!reaped_) kill(getpgid(pid_) == pid_ ? -pid_ : pid_, signal);
  for (const pid_t pid : descendants())
    if (pid != pid_ && getpgid(pid) == *joined_group_) kill(pid, signal);
}

std::optional<ExitStatus> ChildProcess::status() const {
  siginfo_t info{};
  if (reaped_ || waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT) != 0 ||
      info.si_pid != pid_)
    return std::nullopt;
  return info.si_code == CLD_EXITED ? ExitStatus{info.si_status, 0} : ExitStatus{0, info.si_status};
}

void ChildProcess::reap() {
  rusage used{};
  wait4(pid_, nullptr, 0, &used);
  reaped_ = true;
  add_usage(usage_, used);
}

/// Waits up to `at_most`, reaps the inherited processes that have ended, and returns the others.
std::vector<pid_t> ChildProcess::rest_after(Seconds at_most) {
  constexpr useconds_t kPause = 10'000;
  const MonotonicNs until = monotonic_ns() + to_ns(at_most);
  std::vector<pid_t> rest;
  do {
    rest.clear();
    for (const pid_t child : children_of(getpid())) {
      rusage used{};
      if (wait4(child, nullptr, WNOHANG, &used) == child)
        add_usage(usage_, used);
      else
        rest.push_back(child);
    }
  } while (!rest.empty() && monotonic_ns() < until && usleep(kPause) == 0);
  return rest;
}

std::vector<LeftProcess> ChildProcess::end_rest(Seconds at_most) {
  std::vector<LeftProcess> left;
  if (rest_lives_) return left;
  for (const pid_t pid : rest_after(at_most)) left.push_back(process_of(pid));
  kill_children([](pid_t) { return true; }, [&](const rusage& used) { add_usage(usage_, used); });
  return left;
}

Connection connection_of(const ProgramView* view, bool output_on_terminal) {
  return {.output_on_terminal = output_on_terminal,
          .inherits_input = view != nullptr,
          .joined_group = view != nullptr ? view->terminal_group() : std::nullopt};
}

void OutputCapture::append(std::string_view bytes) {
  total_ += static_cast<std::int64_t>(bytes.size());
  const std::size_t to_head = std::min(kHead - head_.size(), bytes.size());
  head_.append(bytes.substr(0, to_head));
  bytes.remove_prefix(to_head);
  if (bytes.size() > kTail) bytes.remove_prefix(bytes.size() - kTail);
  tail_.append(bytes);
  if (tail_.size() > 2 * kTail) tail_.erase(0, tail_.size() - kTail);
}

std::string OutputCapture::text() const {
  const std::string_view tail =
      tail_.size() > kTail ? std::string_view(tail_).substr(tail_.size() - kTail) : tail_;
  const std::int64_t dropped = total_ - static_cast<std::int64_t>(head_.size() + tail.size());
  if (dropped <= 0) return head_ + std::string(tail);
  return fmt::format("{}\n[lapcast: {} bytes left out]\n{}", head_, dropped, tail);
}

void ProgramOutput::open(const ChildProcess& child) {
  sources_[0].fd = child.output_fd();
  sources_[1].fd = child.error_fd();
}

void ProgramOutput::add_to(std::vector<pollfd>& fds) const {
  for (const Source& source : sources_) {
    if (!source.pending.empty())
      fds.push_back({view_->fd(source.stream), POLLOUT, 0});
    else if (source.fd >= 0)
      fds.push_back({source.fd, POLLIN, 0});
  }
}

/// Returns whether nothing is pending any more.
bool ProgramOutput::pass_on(Source& source) {
  while (!source.pending.empty()) {
    const std::size_t written = view_->write(source.stream, source.pending);
    if (written == 0) return false;
    source.pending.erase(0, written);
  }
  return true;
}

/// Returns whether there may be more to read at once.
bool ProgramOutput::pump(Source& source) {
  if (!pass_on(source) || source.fd < 0) return false;
  char buffer[64 * 1024];
  const ssize_t got = read(source.fd, buffer, sizeof buffer);
  if (got < 0 && errno != EIO) return errno == EINTR;
  if (got <= 0) source.fd = -1;  // a terminal that no process has any more gives EIO
  if (got <= 0) return false;
  const std::string_view bytes(buffer, static_cast<std::size_t>(got));
  source.capture.append(bytes);
  if (listener_) listener_(source.stream, bytes);
  if (view_ != nullptr) source.pending.assign(bytes);
  return pass_on(source);
}

void ProgramOutput::pump() {
  for (Source& source : sources_)
    for (int turn = 0; turn < 64 && pump(source); ++turn) {
    }
}

void ProgramOutput::finish(const Interrupt& interrupt) {
  constexpr int kMostTurns = 1024;  // bounds the reading, although no writer should be left
  const int interrupts = interrupt.count();
  for (Source& source : sources_) {
    for (int turn = 0; turn < kMostTurns;) {
      while (turn < kMostTurns && pump(source)) ++turn;  // waiting for the reader is not a turn
      if (source.pending.empty() || interrupt.count() > interrupts) break;
      pollfd writable{view_->fd(source.stream), POLLOUT, 0};
      poll(&writable, 1, 200);
    }
    source.pending.clear();
  }
}

void ProgramOutput::go_on_without_us() const {
  std::array<int, 2> sources{sources_[0].fd, sources_[1].fd};
  if (view_ == nullptr || (sources[0] < 0 && sources[1] < 0)) return;
  const auto prepare = [] {
    for (const int handled : {SIGINT, SIGTERM}) signal(handled, SIG_DFL);
  };
  const auto pass_on = [sources]() mutable {
    for (const std::string& name : list_system_directory("/proc/self/fd"))
      if (const int fd = static_cast<int>(parse_integer(name).value_or(0));
          fd > STDERR_FILENO && std::ranges::find(sources, fd) == sources.end())
        close(fd);
    while (sources[0] >= 0 || sources[1] >= 0) relay(sources);
    return 0;
  };
  static_cast<void>(spawn({.group = ProcessGroup::own, .work = pass_on, .prepare = prepare}));
}

Result<std::string> output_of_helper(const std::vector<std::string>& arguments,
                                     const Interrupt& interrupt, OutputListener listener) {
  constexpr Seconds kGrace{5};
  const auto started = ChildProcess::start({.arguments = arguments});
  if (!started) return tl::unexpected(started.error());
  ChildProcess& child = **started;
  ProgramOutput output(nullptr, std::move(listener));
  output.open(child);
  std::optional<MonotonicNs> kill_ns;
  std::optional<ExitStatus> status;
  for (int interrupts = 0; !status; status = child.status()) {
    std::vector<pollfd> fds{{child.exit_fd(), POLLIN, 0},
                            {interrupts == 0 ? interrupt.fd() : -1, POLLIN, 0}};
    output.add_to(fds);
    poll(fds.data(), fds.size(), 100);
    output.pump();
    const MonotonicNs now_ns = monotonic_ns();
    if (interrupt.count() > interrupts) {
      interrupts = interrupt.count();
      child.signal_group(SIGTERM);
      kill_ns = interrupts > 1 ? now_ns : now_ns + to_ns(kGrace);
    }
    if (kill_ns && now_ns >= *kill_ns) child.signal_group(SIGKILL);
  }
  child.reap();
  output.finish(interrupt);
  if (status->signal == 0 && status->status == 0) return output.text(Stream::output);
  const std::string name = printable(arguments.at(0));
  const std::string last = last_lines(output.text(Stream::error), 1);
  return because(
      fmt::format("{} {}{}", name, how(*status), last.empty() ? "" : ": " + printable(last, 500)));
}

}  // namespace lapcast
