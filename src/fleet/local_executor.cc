#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "core/error.h"
#include "core/units.h"
#include "fleet/cpu_lock.h"
#include "fleet/executor.h"
#include "run/run_json.h"

namespace lapcast {

/// A supervisor process and the pipe that it reports through: lines "P elapsed laps epoch state"
/// and at its end one line "R " and the run as JSON.
struct LocalExecutor::Worker {
  pid_t pid = -1;
  int fd = -1;
  RunContext context;
  std::string buffer;  // the beginning of a line that is not whole yet
  std::optional<Run> run;

  /// Reads what has come; false at the end of the pipe.
  bool read_more();
  /// The whole lines that have come: progress, and the run when it was its result.
  std::vector<ProbeProgress> take_lines();
  /// After the end of the pipe: its run, or one that says how the supervisor died.
  Run reap();
};

namespace {

void write_all(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = write(fd, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return;  // the coordinator is gone
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

std::string progress_line(const ProbeProgress& progress) {
  return fmt::format("P {:.3f} {} {} {}\n", progress.elapsed.count(), progress.laps, progress.epoch,
                     printable(progress.state));
}

ProbeProgress parse_progress(const std::string& line) {
  ProbeProgress progress;
  double elapsed = 0;
  long long laps = 0;
  int epoch = 0;
  int state_at = 0;
  std::sscanf(line.c_str(), "P %lf %lld %d %n", &elapsed, &laps, &epoch, &state_at);
  progress = {Seconds{elapsed}, laps, epoch, line.substr(static_cast<std::size_t>(state_at))};
  return progress;
}

Run lost_run(const RunContext& context, const std::string& why) {
  Run run;
  run.context = context;
  run.outcome = outcome::NotStarted{why};
  return run;
}

}  // namespace

bool LocalExecutor::Worker::read_more() {
  char bytes[64 * 1024];
  ssize_t got = 0;
  while ((got = read(fd, bytes, sizeof bytes)) > 0)
    buffer.append(bytes, static_cast<std::size_t>(got));
  return got != 0;
}

std::vector<ProbeProgress> LocalExecutor::Worker::take_lines() {
  std::vector<ProbeProgress> result;
  for (std::size_t end = 0; (end = buffer.find('\n')) != std::string::npos;) {
    const std::string line = buffer.substr(0, end);
    buffer.erase(0, end + 1);
    if (line.starts_with("P ")) result.push_back(parse_progress(line));
    if (!line.starts_with("R ")) continue;
    Result<Run> read_run = run_from_json_line(std::string_view(line).substr(2));
    run = read_run ? std::move(*read_run) : lost_run(context, read_run.error().text);
  }
  return result;
}

Run LocalExecutor::Worker::reap() {
  int status = 0;
  waitpid(pid, &status, 0);
  close(fd);
  if (run) return std::move(*run);
  const std::string how = WIFSIGNALED(status)
                              ? std::string(strsignal(WTERMSIG(status)))
                              : fmt::format("exit status {}", WEXITSTATUS(status));
  return lost_run(context, fmt::format("its supervisor process died ({})", how));
}

LocalExecutor::LocalExecutor(Interrupt& interrupt) : interrupt_(interrupt) {}

LocalExecutor::~LocalExecutor() {
  stop_all();
  for (auto& [ticket, worker] : workers_) {
    close(worker->fd);
    waitpid(worker->pid, nullptr, 0);
  }
}

Executor::Ticket LocalExecutor::start(const ProbeRequest& request) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw Error(ExitCode::system_failed, "cannot open a pipe: too many open files");
  const pid_t coordinator = getpid();
  // A signal that comes before the child listens anew waits for that, instead of being forgotten.
  sigset_t all, former;
  sigfillset(&all);
  sigprocmask(SIG_BLOCK, &all, &former);
  const pid_t pid = fork();
  if (pid != 0) sigprocmask(SIG_SETMASK, &former, nullptr);
  if (pid < 0)
    throw Error(ExitCode::system_failed,
                fmt::format("cannot start a process: {}", std::strerror(errno)));
  if (pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != coordinator) _exit(1);
    close(ends[0]);
    for (auto& [ticket, worker] : workers_) close(worker->fd);
    // The terminal's Ctrl-C reaches the coordinator too, which then asks us: one is enough.
    setpgid(0, 0);
    interrupt_.restart_in_child();
    sigprocmask(SIG_SETMASK, &former, nullptr);
    work(request, ends[1]);
  }
  close(ends[1]);
  fcntl(ends[0], F_SETFL, O_NONBLOCK);
  const Ticket ticket = next_ticket_++;
  workers_[ticket] = std::make_unique<Worker>(Worker{pid, ends[0], request.context, {}});
  return ticket;
}

void LocalExecutor::work(const ProbeRequest& request, int result_fd) {
  signal(SIGPIPE, SIG_IGN);
  signal(SIGTTOU, SIG_IGN);  // a view may write to the terminal from this process group
  Run run;
  try {
    const auto tell = [&](const ProbeProgress& progress) {
      write_all(result_fd, progress_line(progress));
    };
    const auto waiting = [&](const std::string& why) {
      tell({Seconds{0}, 0, 0, why});
      return interrupt_.count() == 0;
    };
    // A run for its own sake neither waits for those who measure nor keeps them waiting.
    const auto acquire = [&]() -> std::optional<Result<CpuLock>> {
      if (request.watch) return std::nullopt;
      return CpuLock::acquire(request.context.machine_type.cpus, waiting);
    };
    const auto lock = acquire();
    const bool refused = lock && !*lock;
    run = refused ? lost_run(request.context, lock->error().text)
                  : supervise(request, interrupt_, tell);
    if (refused && interrupt_.count() > 0) run.outcome = outcome::Interrupted{};
  } catch (const std::exception& error) {
    run = lost_run(request.context, error.what());
  }
  write_all(result_fd, "R " + to_json_line(run) + "\n");
  _exit(0);
}

std::vector<Executor::Event> LocalExecutor::wait(std::chrono::milliseconds at_most) {
  std::vector<pollfd> fds{{interrupt_.count() == 0 ? interrupt_.fd() : -1, POLLIN, 0}};
  std::vector<Ticket> tickets;
  for (const auto& [ticket, worker] : workers_) {
    fds.push_back({worker->fd, POLLIN, 0});
    tickets.push_back(ticket);
  }
  std::vector<Event> events;
  if (poll(fds.data(), fds.size(), static_cast<int>(at_most.count())) <= 0) return events;
  for (const Ticket ticket : tickets) {
    Worker& worker = *workers_[ticket];
    const bool ended = !worker.read_more();
    for (ProbeProgress& progress : worker.take_lines()) events.push_back({ticket, progress});
    if (!ended) continue;
    events.push_back({ticket, worker.reap()});
    workers_.erase(ticket);
  }
  return events;
}

void LocalExecutor::stop_all() {
  for (auto& [ticket, worker] : workers_) kill(worker->pid, SIGTERM);
}

}  // namespace lapcast
