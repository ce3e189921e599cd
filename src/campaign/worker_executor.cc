#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "campaign/executor.h"
#include "campaign/power_limit.h"
#include "campaign/worker_task.h"
#include "core/error.h"
#include "fleet/power_setting.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/cut_off_run.h"
#include "probe/ids_and_time.h"
#include "probe/processes.h"
#include "probe/run_folder.h"
#include "remote/agent_protocol.h"

namespace lapcast {
namespace {

constexpr int kMostReplaced = 3;

}  // namespace

/// Holds a worker process, the pipe that it reports through (agent_protocol.h) and the socket with
/// orders for it.
struct WorkerExecutor::Worker {
  pid_t pid = -1;
  FileDescriptor fd;
  FileDescriptor orders_fd;
  ProbeRequest request;
  bool only_removes = false;
  pid_t power_guard = -1;  // -1 = none
  int replaced = 0;        // how many workers died before this one
  LineBuffer lines{};
  HeardOfRun heard = {};
  std::optional<Run> run = {};
  std::string cut_off = {};  // why it died without a run; empty = it did not
  bool reported = false;     // its run was passed on; it only tidies up

  bool is_local() const { return is_this_machine(request.place_setup.place); }
  /// Reads what has arrived. Returns false at the end of the pipe.
  bool read_more();
  /// Returns what has arrived except the result, which it keeps.
  std::vector<Event> take_news(Ticket ticket);
  /// Waits for the process, whose pipe has ended, and returns its wait status.
  int reap();
};

namespace {

struct Channels {
  Pipe results;                   // worker to coordinator
  FileDescriptor workers_orders;  // both ends of a socket
  FileDescriptor orders;
};

Channels open_channels() {
  std::array<int, 2> orders{};
  Result<Pipe> results = open_pipe();
  if (results && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, orders.data()) == 0)
    return {std::move(*results), FileDescriptor(orders[0]), FileDescriptor(orders[1])};
  throw Error(ExitCode::system_failed,
              fmt::format("cannot talk to one more process: {}; raise the limit of open files: "
                          "ulimit -n 65536",
                          std::strerror(errno)));
}

}  // namespace

bool WorkerExecutor::Worker::read_more() {
  char bytes[64 * 1024];
  ssize_t got = 0;
  while ((got = read(fd.get(), bytes, sizeof bytes)) > 0)
    lines.append({bytes, static_cast<std::size_t>(got)});
  return got != 0;
}

std::vector<Executor::Event> WorkerExecutor::Worker::take_news(Ticket ticket) {
  std::vector<Event> result;
  while (const auto line = lines.next()) {
    AgentMessage said = parse_agent_message(*line);
    if (auto* progress = std::get_if<ProbeProgress>(&said)) {
      heard.take(*progress);
      result.push_back({ticket, std::move(*progress)});
    }
    if (const auto* silence = std::get_if<message::OutOfReach>(&said))
      result.push_back({ticket, *silence});
    if (const auto* fetched = std::get_if<message::Fetched>(&said))
      result.push_back({ticket, *fetched});
    if (auto* so_far = std::get_if<RunSoFar>(&said)) {
      std::vector<std::string> logs;
      if (is_local()) logs.swap(so_far->run.lap_logs);  // they lie in its run folder
      heard.so_far = so_far->run;
      if (is_local()) logs.swap(so_far->run.lap_logs);
      result.push_back({ticket, std::move(*so_far)});
    }
    if (auto* ended = std::get_if<Run>(&said)) run = std::move(*ended);
    if (const auto* reason = std::get_if<Reason>(&said))
      run = run_not_started(request.context, reason->text);
  }
  return result;
}

int WorkerExecutor::Worker::reap() {
  fd.reset();
  orders_fd.reset();
  const int status = wait_for(pid);
  // The next run must not begin before the limits are set back.
  if (power_guard >= 0) wait_for(power_guard);
  return status;
}

/// Handles the end of a worker. Returns false when it was replaced by another one.
bool WorkerExecutor::take_end(Ticket ticket) {
  std::unique_ptr<Worker>& worker = workers_[ticket];
  const int status = worker->reap();
  if (status == 0 && !worker->is_local()) removed_.push_back(worker->request.context.id);
  if (worker->run || worker->only_removes) return true;
  // A race told this worker how its rounds go on, which a replacement would not know.
  const bool replaceable = !worker->is_local() && !worker->request.round &&
                           worker->replaced < kMostReplaced && interrupt_.count() == 0;
  if (replaceable) {
    const int replaced = worker->replaced + 1;
    worker = spawn(worker->request, false);
    worker->replaced = replaced;
    return false;
  }
  const std::string how = WIFSIGNALED(status) ? std::string(strsignal(WTERMSIG(status)))
                                              : fmt::format("exit status {}", WEXITSTATUS(status));
  worker->cut_off = fmt::format("its worker process died ({})", how);
  worker->run = run_of_dead(*worker, worker->cut_off);
  return true;
}

/// Returns whether this process has no children that it did not start: the shell that became it may
/// have left some, and the first process of a container adopts orphans.
static bool has_no_children_of_others() {
  static const bool adopted_before = [] {
    int adopts = 0;
    return getpid() == 1 || (prctl(PR_GET_CHILD_SUBREAPER, &adopts) == 0 && adopts != 0);
  }();
  return !adopted_before && children_of(getpid()).empty();
}

WorkerExecutor::WorkerExecutor(Interrupt& interrupt)
    : interrupt_(interrupt), children_are_ours_(has_no_children_of_others()) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
}

/// Returns what is known of the run of a killed worker. On this machine it also ends what is left
/// of the program, which this process inherits as a subreaper. If this process may have children
/// that it did not start (of a shell that became lapcast, shared connections of ssh), it ends only
/// those whose environment names a run folder.
Run WorkerExecutor::run_of_dead(const Worker& dead, const std::string& why) {
  const ProbeRequest& request = dead.request;
  if (!dead.is_local()) {
    Run run = dead.heard.so_far.value_or(run_not_started(request.context, why));
    if (dead.heard.so_far) run.outcome = outcome::NotEnded{why};
    return run;
  }
  const auto is_worker = [&](pid_t pid) {
    return std::any_of(workers_.begin(), workers_.end(), [&](const auto& entry) {
      return entry.second->pid == pid || entry.second->power_guard == pid;
    });
  };
  if (children_are_ours_) kill_children([&](pid_t pid) { return !is_worker(pid); });
  end_stale_programs(request.run_parent);
  Run run =
      cut_off_run(request.context, request.limits.max_log_bytes, dead.heard,
                  newest_run_folder(request.run_parent, request.context.id), monotonic_ns(), why);
  if (!request.keep_run_folder) remove_stale_run_folders(request.run_parent);
  for (const pid_t child : children_of(getpid()))
    if (!is_worker(child)) waitpid(child, nullptr, WNOHANG);
  return run;
}

WorkerExecutor::~WorkerExecutor() {
  stop_all();
  for (auto& [ticket, worker] : workers_) {
    worker->reap();
  }
}

Executor::Ticket WorkerExecutor::start(const ProbeRequest& request) {
  const Ticket ticket = next_ticket_++;
  workers_[ticket] = spawn(request, false);
  return ticket;
}

void WorkerExecutor::remove(const ProbeRequest& request) {
  workers_[next_ticket_] = spawn(request, true);
  ++next_ticket_;
}

std::vector<std::string> WorkerExecutor::take_removed(bool all) {
  const auto removes = [](const auto& entry) {
    return entry.second->only_removes || (entry.second->reported && !entry.second->is_local());
  };
  while (all && interrupt_.count() == 0 && std::any_of(workers_.begin(), workers_.end(), removes))
    wait(std::chrono::milliseconds(100));
  return std::exchange(removed_, {});
}

std::unique_ptr<WorkerExecutor::Worker> WorkerExecutor::spawn(const ProbeRequest& request,
                                                              bool only_removes) {
  Channels channels = open_channels();
  const bool is_here = is_this_machine(request.place_setup.place);
  const auto watts = only_removes || !is_here ? std::nullopt : power_limit_of(request.context);
  Result<PowerGuard> power = PowerGuard();
  if (watts) power = start_power_guard(*watts);
  if (!power) throw Error(ExitCode::system_failed, power.error().text);
  const pid_t coordinator = getpid();
  const auto prepare = [&] {
    channels.results.read_end.reset();
    channels.orders.reset();
    for (auto& [ticket, worker] : workers_) {
      worker->fd.reset();
      worker->orders_fd.reset();
    }
    interrupt_.restart_in_child();
  };
  const auto do_work = [&] {
    return do_worker_task({request, only_removes, channels.results.write_end.get(),
                           channels.workers_orders.get(), power->socket.get(), coordinator},
                          interrupt_);
  };
  // The terminal's Ctrl-C reaches the coordinator too, which then asks the worker: one is enough.
  const Result<pid_t> pid = lapcast::spawn({.group = ProcessGroup::own,
                                            .signal_at_parent_death = SIGTERM,
                                            .work = do_work,
                                            .prepare = prepare});
  if (!pid) throw Error(ExitCode::system_failed, pid.error().text);
  set_nonblocking(channels.results.read_end);
  children_are_ours_ = children_are_ours_ && is_here;
  return std::make_unique<Worker>(Worker{*pid, std::move(channels.results.read_end),
                                         std::move(channels.orders), request, only_removes,
                                         power->pid});
}

std::vector<Executor::Event> WorkerExecutor::wait(std::chrono::milliseconds at_most) {
  std::vector<pollfd> fds{{interrupt_.count() == 0 ? interrupt_.fd() : -1, POLLIN, 0}};
  std::vector<Ticket> tickets;
  for (const auto& [ticket, worker] : workers_) {
    fds.push_back({worker->fd.get(), POLLIN, 0});
    tickets.push_back(ticket);
  }
  std::vector<Event> events;
  if (poll(fds.data(), fds.size(), static_cast<int>(at_most.count())) <= 0) return events;
  for (std::size_t i = 0; i < tickets.size(); ++i) {
    if (fds[i + 1].revents == 0) continue;
    Worker& worker = *workers_[tickets[i]];
    const bool ended = !worker.read_more();
    for (Event& news : worker.take_news(tickets[i])) events.push_back(std::move(news));
    if (ended && !take_end(tickets[i])) continue;
    // The CPUs of this machine are free when the worker has ended; the worker of a remote run waits
    // until its run is stored.
    if (worker.run && !worker.only_removes && !worker.reported && (ended || !worker.is_local())) {
      events.push_back({tickets[i], std::move(*worker.run), worker.cut_off});
      worker.reported = true;
    }
    if (ended) workers_.erase(tickets[i]);
  }
  return events;
}

void WorkerExecutor::order(Ticket ticket, const std::string& line) {
  const auto entry = workers_.find(ticket);
  if (entry == workers_.end()) return;
  const std::string text = line + "\n";
  send(entry->second->orders_fd.get(), text.data(), text.size(),
       MSG_NOSIGNAL);  // it may have ended
}

void WorkerExecutor::stored(Ticket ticket) {
  order(ticket, std::string(kRunIsStored));
}

void WorkerExecutor::stop_all() {
  for (auto& [ticket, worker] : workers_)
    if (!worker->reported) kill(worker->pid, SIGTERM);
}

}  // namespace lapcast
