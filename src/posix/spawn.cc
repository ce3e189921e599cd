#include "posix/spawn.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

constexpr int kFailed = 127;  // the exit status that shells use for this
constexpr int kHandledSignals[] = {SIGINT,  SIGTERM, SIGHUP,  SIGQUIT,
                                   SIGPIPE, SIGCHLD, SIGTTOU, SIGTTIN};

enum class Step : int { streams, cpus, quota, working_dir, execute };

struct StartFailure {
  Step step{};
  int error = 0;
};

/// Holds what execve(2) takes.
struct Program {
  std::string file;
  std::vector<std::string> arguments;
  std::vector<std::string> environment;
};

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> result;
  for (std::string& text : strings) result.push_back(text.data());
  result.push_back(nullptr);
  return result;
}

std::vector<std::string> merged_environment(const std::map<std::string, std::string>& added) {
  std::vector<std::string> result;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    if (!added.contains(std::string(text.substr(0, text.find('='))))) result.emplace_back(text);
  }
  for (const auto& [name, value] : added) result.push_back(name + "=" + value);
  return result;
}

Result<Program> program_of(const SpawnSpec& spec) {
  if (spec.work) return Program{};
  if (spec.arguments.empty()) return because("no program given");
  std::filesystem::path file = spec.file;
  if (file.empty()) {
    const auto found = find_program(spec.arguments[0]);
    if (!found) return tl::unexpected(found.error());
    file = std::filesystem::absolute(*found);
  }
  return Program{file.string(), spec.arguments, merged_environment(spec.environment)};
}

/// Sets up the new process between fork and exec, by async-signal-safe calls only.
class Newborn {
 public:
  Newborn(const SpawnSpec& spec, int report, pid_t parent)
      : spec_(spec), report_(fcntl(report, F_DUPFD_CLOEXEC, 3)), parent_(parent) {
    close(report);
  }

  void set_up() {
    if (spec_.joined_group)
      setpgid(0, *spec_.joined_group);
    else if (spec_.group == ProcessGroup::own)
      setpgid(0, 0);
    if (spec_.group == ProcessGroup::own_session) setsid();
    if (spec_.signal_at_parent_death) {
      prctl(PR_SET_PDEATHSIG, *spec_.signal_at_parent_death);
      if (getppid() != parent_) _exit(kFailed);  // the parent died before prctl
    }
    set_cpus();
    for (const int cgroup : spec_.cgroup_procs_fds)
      if (write(cgroup, "0", 1) != 1) fail(Step::quota);
    if (spec_.most_data_bytes) {
      const auto bytes = static_cast<rlim_t>(*spec_.most_data_bytes);
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_DATA, &limit);
    }
    if (!spec_.working_dir.empty() && chdir(spec_.working_dir.c_str()) != 0)
      fail(Step::working_dir);
    set_streams();
  }

  [[noreturn]] void execute(const char* file, char* const* arguments, char* const* environment) {
    for (const int handled : kHandledSignals) {
      const bool was_ignored = signal(handled, SIG_DFL) == SIG_IGN;
      if (was_ignored && handled == SIGHUP && spec_.joined_group) signal(SIGHUP, SIG_IGN);
    }
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    execve(file, arguments, environment);
    fail(Step::execute);
  }

  [[noreturn]] void do_work(const sigset_t& signal_mask) {
    try {
      if (spec_.prepare) spec_.prepare();
      sigprocmask(SIG_SETMASK, &signal_mask, nullptr);
      close(report_);
      _exit(spec_.work());
    } catch (...) {
      _exit(kFailed);
    }
  }

 private:
  [[noreturn]] void fail(Step step) const {
    const StartFailure failure{step, errno};
    [[maybe_unused]] const ssize_t written = write(report_, &failure, sizeof failure);
    _exit(kFailed);
  }

  void set_cpus() const {
    if (spec_.cpus.empty()) return;
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : spec_.cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail(Step::cpus);
  }

  void set_streams() const {
    // All are moved above 2 first: a lower one could be overwritten before its turn.
    std::array<int, 3> sources = spec_.streams;
    for (int& fd : sources) {
      if (fd == kInheritedStream) continue;
      fd = fd == kNullStream ? open("/dev/null", O_RDWR | O_CLOEXEC) : fd;
      fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
      if (fd < 0) fail(Step::streams);
    }
    for (int i = 0; i < 3; ++i)
      if (sources[i] != kInheritedStream && dup2(sources[i], i) < 0) fail(Step::streams);
  }

  const SpawnSpec& spec_;
  int report_;
  pid_t parent_;
};

Reason explain(const StartFailure& failure, const SpawnSpec& spec) {
  const std::string why = std::strerror(failure.error);
  switch (failure.step) {
    case Step::streams:
      return {"cannot connect a process with its input and output: " + why};
    case Step::cpus:
      return {fmt::format("cannot run on the CPUs {}: {}", fmt::join(spec.cpus, ","), why)};
    case Step::quota:
      return {"cannot enter the CPU quota's cgroup: " + why};
    case Step::working_dir:
      return {fmt::format("cannot enter the folder {}: {}", spec.working_dir.string(), why)};
    case Step::execute:
      break;
  }
  const std::string hint =
      failure.error == ENOEXEC ? "; not a program, and no #! in its first line" : "";
  return {fmt::format("cannot execute {}: {}{}", printable(spec.arguments[0]), why, hint)};
}

/// Forks with all signals blocked: a signal that comes before the child is set up waits until then.
pid_t fork_with_signals_blocked(sigset_t& former) {
  sigset_t all;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &former);
  const pid_t pid = fork();
  const int error = errno;
  if (pid != 0) sigprocmask(SIG_SETMASK, &former, nullptr);
  errno = error;
  return pid;
}

bool is_runnable(const fs::path& file) {
  struct stat info {};
  return stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) && access(file.c_str(), X_OK) == 0;
}

using Clock = std::chrono::steady_clock;

/// Reads up to the end of the pipe. Returns false at the deadline, or when too much comes.
bool read_until(const FileDescriptor& pipe, Clock::time_point deadline, std::string& text) {
  constexpr std::size_t kMostBytes = 1 << 20;
  set_nonblocking(pipe);
  while (text.size() <= kMostBytes) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    pollfd waiting{pipe.get(), POLLIN, 0};
    if (poll(&waiting, 1, static_cast<int>(left)) <= 0) continue;
    if (!read_available(pipe.get(), text, kMostBytes + 1)) return true;
  }
  return false;
}

/// Waits for a program to end. Kills it with its children at the deadline, or at once if
/// `kill_now`. Returns its wait status; none when it was killed.
std::optional<int> wait_until(pid_t pid, Clock::time_point deadline, bool kill_now) {
  int status = 0;
  while (!kill_now) {
    const pid_t ended = waitpid(pid, &status, WNOHANG);
    if (ended == pid) return status;
    if ((ended < 0 && errno != EINTR) || Clock::now() >= deadline) break;
    usleep(500);
  }
  kill(-pid, SIGKILL);
  wait_for(pid);
  return std::nullopt;
}

}  // namespace

Result<pid_t> spawn(const SpawnSpec& spec) {
  Result<Program> program = program_of(spec);
  if (!program) return tl::unexpected(program.error());
  const std::vector<char*> arguments = pointers(program->arguments);
  const std::vector<char*> environment = pointers(program->environment);
  Result<Pipe> report = open_pipe();
  if (!report) return tl::unexpected(report.error());
  const pid_t parent = getpid();
  sigset_t signal_mask;
  const pid_t pid = fork_with_signals_blocked(signal_mask);
  if (pid < 0) return because(fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    Newborn child(spec, report->write_end.release(), parent);
    report->read_end.reset();
    child.set_up();
    if (spec.work) child.do_work(signal_mask);
    child.execute(program->file.c_str(), arguments.data(), environment.data());
  }
  report->write_end.reset();
  StartFailure failure;
  ssize_t got = 0;
  do got = read(report->read_end.get(), &failure, sizeof failure);
  while (got < 0 && errno == EINTR);
  if (got != static_cast<ssize_t>(sizeof failure)) return pid;
  wait_for(pid);
  return tl::unexpected(explain(failure, spec));
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

FileDescriptor open_process(pid_t process) {
  const int fd = static_cast<int>(syscall(SYS_pidfd_open, process, 0));
  if (fd >= 0) fcntl(fd, F_SETFD, FD_CLOEXEC);
  return FileDescriptor(fd);
}

Result<fs::path> find_program(const std::string& name) {
  if (name.empty()) return because("no program given");
  if (name.find('/') != std::string::npos) {
    std::error_code ignored;
    if (is_runnable(name)) return fs::path(name);
    if (fs::is_directory(name, ignored)) return because(printable(name) + " is a folder");
    if (fs::exists(name, ignored))
      return because(printable(name) + " is not executable; chmod +x it, or name its interpreter");
    const std::string meant = did_you_mean_file(name, "");
    return because(printable(name) + " does not exist" + (meant.empty() ? "" : "; ") + meant);
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (is_runnable(candidate)) return candidate;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  const std::string advice = fmt::format("write ./{} if it is in this folder", printable(name));
  return because(fmt::format("program {} not found on PATH; {}", printable(name),
                             did_you_mean_file("./" + name, advice)));
}

fs::path own_binary() {
  constexpr std::string_view kDeleted = " (deleted)";
  std::error_code error;
  std::string path = fs::read_symlink("/proc/self/exe", error).native();
  if (path.ends_with(kDeleted) && !fs::exists(path, error))
    path.resize(path.size() - kDeleted.size());
  return path;
}

Result<EndedProgram> run_to_end(const std::vector<std::string>& arguments,
                                std::chrono::milliseconds timeout) {
  const std::string& name = arguments.at(0);
  const auto deadline = Clock::now() + timeout;
  if (!find_program(name)) return because(name + " cannot be started: there is no such program");
  Result<Pipe> output = open_pipe();
  if (!output) return tl::unexpected(output.error());
  const Result<pid_t> pid = spawn({.arguments = arguments,
                                   .streams = {kNullStream, output->write_end.get(), kNullStream},
                                   .group = ProcessGroup::own});
  if (!pid) return because(name + " cannot be started: " + pid.error().text);
  output->write_end.reset();
  std::string text;
  const bool whole = read_until(output->read_end, deadline, text);
  output->read_end.reset();
  const auto status = wait_until(*pid, deadline, !whole);
  if (!status) return because(name + " did not end in time");
  return EndedProgram{std::move(text), WIFEXITED(*status) ? WEXITSTATUS(*status) : -1};
}

Result<std::string> output_of(const std::vector<std::string>& arguments,
                              std::chrono::milliseconds timeout) {
  Result<EndedProgram> output = run_to_end(arguments, timeout);
  if (!output) return tl::unexpected(output.error());
  if (output->exit_code != 0) return because(arguments.at(0) + " failed");
  return std::move(output->text);
}

Result<void> open_in_browser(const std::filesystem::path& file) {
  const SpawnSpec opener{.arguments = {"xdg-open", file.string()},
                         .streams = {kNullStream, kNullStream, kNullStream},
                         .group = ProcessGroup::own_session};
  if (const auto found = find_program("xdg-open"); !found) return tl::unexpected(found.error());
  // The process between ends at once, so that this one need not wait for the opener.
  const auto between = spawn({.arguments = {}, .work = [&] { return spawn(opener) ? 0 : 1; }});
  if (!between) return tl::unexpected(between.error());
  if (wait_for(*between) != 0) return because("xdg-open cannot be started");
  return {};
}

}  // namespace lapcast
