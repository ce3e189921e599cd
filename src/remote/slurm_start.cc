#include "remote/slurm_start.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "machine/proc_text.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/child_process.h"
#include "probe/interrupt.h"
#include "remote/nodes_run.h"

namespace lapcast {
namespace {

using StartClock = std::chrono::steady_clock;

constexpr int kCannotStart = 127;  // the exit status that shells use for this
constexpr int kLookEveryMs = 50;
constexpr std::chrono::seconds kForOthersToFinish{60};
constexpr std::chrono::seconds kForOthersToEnd{5};
constexpr Seconds kForRest{0.3};  // for what a program leaves behind to end by itself
constexpr std::string_view kFailedNode = "lapcast: node ";

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int number_of(const char* name) {
  return static_cast<int>(parse_integer(variable(name)).value_or(0));
}

void print_error(std::string_view text) {
  write_all(STDERR_FILENO, text);
}

void report_failure(const std::string& node, const outcome::Crashed& how) {
  print_error(fmt::format("{}{}: {}\n", kFailedNode, node, describe(Outcome(how))));
}

outcome::Crashed crash_of(int wait_status) {
  if (WIFSIGNALED(wait_status)) return {.signal = WTERMSIG(wait_status)};
  return {.exit_status = WEXITSTATUS(wait_status)};
}

/// Returns the exit status of this process after its program ended so. A signal that ended the
/// program ends this process, too.
int end_like(const outcome::Crashed& end) {
  if (end.signal == 0) return end.exit_status;
  prctl(PR_SET_DUMPABLE, 0);  // one core is enough
  signal(end.signal, SIG_DFL);
  raise(end.signal);
  return 128 + end.signal;
}

/// Follows the program on the first node of a job, and srun, which runs it on the others.
class ProgramOfJob {
 public:
  ProgramOfJob(OwnSlurmJob job, pid_t own, pid_t others)
      : job_(std::move(job)), own_{own, {}}, others_{others, {}} {}

  /// Waits for both to end. Returns the wait status that counts: that of the first to fail.
  int wait(const Interrupt& interrupt) {
    while (!(own_.status && others_.status) && !(until_ && StartClock::now() > *until_)) {
      pollfd signals{told_ ? -1 : interrupt.fd(), POLLIN, 0};
      poll(&signals, 1, kLookEveryMs);
      if (!told_ && interrupt.count() > 0) tell_others();
      look(own_, others_);
      look(others_, own_);
    }
    return failed_.value_or(own_.status.value_or(0));
  }

 private:
  struct Process {
    pid_t pid = 0;
    std::optional<int> status;
  };

  /// Passes TERM on: srun would kill at once. Without --batch and --full the steps alone get it.
  void tell_others() {
    told_ = true;
    if (const auto sent = spawn({.arguments = {"scancel", "--signal=TERM", job_.id}}); !sent)
      kill(others_.pid, SIGTERM);
  }

  void look(Process& process, const Process& other) {
    int status = 0;
    if (process.status || waitpid(process.pid, &status, WNOHANG) != process.pid) return;
    process.status = status;
    if (told_ || other.status) return;
    const bool is_own = &process == &own_;
    if (status == 0 && is_own) until_ = StartClock::now() + kForOthersToFinish;
    if (status == 0) return;
    failed_ = status;
    if (is_own) report_failure(job_.head, crash_of(status));
    kill(other.pid, SIGTERM);
    until_ = StartClock::now() + kForOthersToEnd;
  }

  const OwnSlurmJob job_;
  Process own_;
  Process others_;
  bool told_ = false;  // that the program is to end
  std::optional<int> failed_;
  std::optional<StartClock::time_point> until_;
};

}  // namespace

OwnSlurmJob own_slurm_job() {
  return {variable("SLURM_JOB_ID"),
          static_cast<std::size_t>(std::max(1, number_of("SLURM_JOB_NUM_NODES"))),
          variable("SLURMD_NODENAME")};
}

void start_on_nodes(RunContext& context, const OwnSlurmJob& job, const std::string& tool) {
  RunContext alone = on_only_node(context);
  if (filled_program(alone) == filled_program(context)) return;
  if (job.nodes == 1) {
    context = std::move(alone);
    return;
  }
  fill_in_node(context, job.nodes, "{node}", job.head);  // each node has its own
  context.program.insert(context.program.begin(), {tool, "on-nodes", "--"});
}

std::vector<std::string> program_on_node(const std::vector<std::string>& program,
                                         const OwnSlurmJob& job, int node) {
  RunContext context;
  context.program = program;
  fill_in_node(context, job.nodes, std::to_string(node), job.head);
  return filled_program(context);
}

std::vector<std::string> command_on_others(const std::vector<std::string>& program,
                                           const OwnSlurmJob& job, const std::string& tool) {
  std::vector<std::string> command{
      "srun", "--quiet", "--relative=1", fmt::format("--nodes={}", job.nodes - 1),
      fmt::format("--ntasks={}", job.nodes - 1), "--ntasks-per-node=1",
      // The program starts its processes itself, on all CPUs of the job, with its environment.
      "--cpu-bind=none", "--mpi=none", "--export=ALL", "--kill-on-bad-exit=1", tool, "on-nodes",
      "--other", "--"};
  command.insert(command.end(), program.begin(), program.end());
  return command;
}

int run_on_nodes(const std::vector<std::string>& program) {
  Interrupt interrupt;
  const OwnSlurmJob job = own_slurm_job();
  const auto own = spawn({.arguments = program_on_node(program, job, 0)});
  const auto others =
      own ? spawn({.arguments = command_on_others(program, job, own_binary().string()),
                   .group = ProcessGroup::own,
                   .signal_at_parent_death = SIGTERM})
          : own;
  if (!others) {
    print_error(others.error().text + "\n");
    report_failure(job.head, {.exit_status = kCannotStart});
    if (own) kill(*own, SIGTERM);
    return kCannotStart;
  }
  return end_like(crash_of(ProgramOfJob(job, *own, *others).wait(interrupt)));
}

int run_on_other_node(const std::vector<std::string>& program) {
  Interrupt interrupt;
  const OwnSlurmJob job = own_slurm_job();
  // The first task of the step is on the second node of the job.
  const auto arguments = program_on_node(program, job, number_of("SLURM_NODEID") + 1);
  // Slurm signals all processes of a step.
  const auto child = ChildProcess::start({.arguments = arguments}, {.joined_group = getpgrp()});
  if (!child) {
    print_error(child.error().text + "\n");
    report_failure(job.head, {.exit_status = kCannotStart});
    return kCannotStart;
  }
  ProgramOutput output(nullptr);
  output.open(**child);
  std::optional<ExitStatus> status;
  while (!(status = (*child)->status())) {
    std::vector<pollfd> fds{{(*child)->exit_fd(), POLLIN, 0}};
    output.add_to(fds);
    poll(fds.data(), fds.size(), kLookEveryMs);
    output.pump();
  }
  const outcome::Crashed end{.exit_status = status->status, .signal = status->signal};
  const bool failed = end != outcome::Crashed{} && interrupt.count() == 0;
  if (failed) report_failure(job.head, end);  // before the other nodes notice
  (*child)->reap();
  (*child)->end_rest(kForRest);
  output.finish(interrupt);
  if (failed) print_error(output.text(Stream::output) + output.text(Stream::error));
  return end_like(end);
}

void name_failed_node(Run& run) {
  if (!has_failed(run.outcome) || is_out_of_memory(run.outcome)) return;
  for (std::string_view line : split(run.standard_error, '\n')) {
    if (!line.starts_with(kFailedNode)) continue;
    line.remove_prefix(kFailedNode.size());
    run.outcome = outcome::NoLaps{printable(line) + "; the other nodes were ended"};
    return;
  }
}

}  // namespace lapcast
