#include "probe/child_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "core/units.h"
#include "probe/descendants.h"

namespace lapcast {
namespace {

enum class Step : int { process_group, cpus, quota, working_dir, execute };

struct StartFailure {
  Step step{};
  int error = 0;
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

/// In the child, between fork and exec: only async-signal-safe calls.
void become_program(const LaunchSpec& spec, const char* file, char* const* arguments,
                    char* const* environment, int output, int error_output, int report_fd,
                    pid_t parent) {
  const auto fail = [&](Step step) {
    const StartFailure failure{step, errno};
    [[maybe_unused]] const ssize_t written = write(report_fd, &failure, sizeof failure);
    _exit(127);
  };
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(127);  // the parent died before prctl
  if (!spec.cpus.empty()) {
    cpu_set_t set;
    CPU_ZERO(&set);
    for (const int cpu : spec.cpus) CPU_SET(static_cast<std::size_t>(cpu), &set);
    if (sched_setaffinity(0, sizeof set, &set) != 0) fail(Step::cpus);
  }
  if (spec.cgroup_procs_fd >= 0 && write(spec.cgroup_procs_fd, "0", 1) != 1) fail(Step::quota);
  if (!spec.working_dir.empty() && chdir(spec.working_dir.c_str()) != 0) fail(Step::working_dir);
  const int null = open("/dev/null", O_RDONLY);
  dup2(null, 0);
  dup2(output, 1);
  dup2(error_output, 2);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE, SIGCHLD, SIGTTOU})
    ::signal(signal, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  execve(file, arguments, environment);
  fail(Step::execute);
}

Reason explain(const StartFailure& failure, const LaunchSpec& spec) {
  const std::string why = std::strerror(failure.error);
  switch (failure.step) {
    case Step::process_group:
      return {"cannot make a process group: " + why};
    case Step::cpus:
      return {fmt::format("cannot run on the CPUs {}: {}", format_cpu_list(spec.cpus), why)};
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

struct Pipe {
  int read_end = -1;
  int write_end = -1;
};

std::optional<Pipe> open_pipe(int read_flags) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return std::nullopt;
  if (read_flags != 0) fcntl(ends[0], F_SETFL, read_flags);
  return Pipe{ends[0], ends[1]};
}

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

Result<std::filesystem::path> find_program(const std::string& name) {
  namespace fs = std::filesystem;
  const auto runnable = [](const fs::path& file) {
    struct stat info {};
    return stat(file.c_str(), &info) == 0 && S_ISREG(info.st_mode) &&
           access(file.c_str(), X_OK) == 0;
  };
  if (name.empty()) return because("no program given");
  if (name.find('/') != std::string::npos) {
    std::error_code ignored;
    if (runnable(name)) return fs::path(name);
    if (fs::is_directory(name, ignored)) return because(printable(name) + " is a folder");
    if (fs::exists(name, ignored))
      return because(printable(name) + " is not executable; chmod +x it, or name its interpreter");
    return because(printable(name) + " does not exist");
  }
  const char* path = std::getenv("PATH");
  std::string_view rest = path != nullptr ? path : "/usr/local/bin:/usr/bin:/bin";
  while (true) {
    const std::size_t colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / name;
    if (runnable(candidate)) return candidate;
    if (colon == std::string_view::npos) break;
    rest.remove_prefix(colon + 1);
  }
  return because(fmt::format("program {} not found on PATH; write ./{} if it is in this folder",
                             printable(name), printable(name)));
}

Result<ChildProcess> ChildProcess::start(const LaunchSpec& spec) {
  if (spec.arguments.empty()) return because("no program given");
  const Result<std::filesystem::path> file = find_program(spec.arguments[0]);
  if (!file) return tl::unexpected(file.error());
  std::vector<std::string> argument_text = spec.arguments;
  std::vector<std::string> environment_text = merged_environment(spec.environment);
  const std::vector<char*> arguments = pointers(argument_text);
  const std::vector<char*> environment = pointers(environment_text);
  // Relative program paths are meant from here, not from the working folder of the program.
  const std::string absolute = std::filesystem::absolute(*file).string();

  const auto output = open_pipe(O_NONBLOCK);
  const auto error_output = open_pipe(O_NONBLOCK);
  const auto report = open_pipe(0);
  if (!output || !error_output || !report)
    return because("cannot open a pipe: too many open files");
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t parent = getpid();
  const pid_t pid = fork();
  if (pid == 0) {
    become_program(spec, absolute.c_str(), arguments.data(), environment.data(), output->write_end,
                   error_output->write_end, report->write_end, parent);
  }
  for (const auto& pipe : {output, error_output, report}) close(pipe->write_end);
  if (pid < 0) {
    for (const auto& pipe : {output, error_output, report}) close(pipe->read_end);
    return because(fmt::format("cannot start a process: {}", std::strerror(errno)));
  }
  setpgid(pid, pid);  // also here: whoever is first
  StartFailure failure;
  const ssize_t got = read(report->read_end, &failure, sizeof failure);
  close(report->read_end);
  if (got == static_cast<ssize_t>(sizeof failure)) {
    waitpid(pid, nullptr, 0);
    close(output->read_end);
    close(error_output->read_end);
    return tl::unexpected(explain(failure, spec));
  }
  const int pid_fd = static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (pid_fd >= 0) fcntl(pid_fd, F_SETFD, FD_CLOEXEC);
  return ChildProcess(pid, pid_fd, output->read_end, error_output->read_end);
}

ChildProcess::ChildProcess(pid_t pid, int pid_fd, int output_fd, int error_fd)
    : pid_(pid), pid_fd_(pid_fd), output_fd_(output_fd), error_fd_(error_fd) {}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)),
      pid_fd_(std::exchange(other.pid_fd_, -1)),
      output_fd_(std::exchange(other.output_fd_, -1)),
      error_fd_(std::exchange(other.error_fd_, -1)),
      reaped_(other.reaped_),
      usage_(other.usage_) {}

ChildProcess::~ChildProcess() {
  if (pid_ > 0 && !reaped_) {
    signal_group(SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  if (pid_ > 0) kill_lingering();
  for (const int fd : {pid_fd_, output_fd_, error_fd_})
    if (fd >= 0) close(fd);
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
