#include "campaign/recorder.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "campaign/campaign.h"
#include "campaign/executor.h"
#include "core/units.h"
#include "discover/discover.h"
#include "fleet/fleet_file.h"
#include "posix/files.h"
#include "posix/spawn.h"
#include "probe/ids_and_time.h"
#include "probe/run_folder.h"
#include "remote/agent_protocol.h"
#include "remote/record.h"
#include "remote/set_up.h"
#include "remote/slurm_start.h"
#include "remote/slurm_tracker.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr int kSignalsPatienceMs = 300;  // between Slurm's signals to the processes of a job
constexpr int kMostAttempts = 4;         // of a training within one life of a Slurm job

/// Runs one request and records its result.
class Recorder {
 public:
  Recorder(const RecordFolder& folder, const RemoteRequest& request, RecordWriter& writer,
           Interrupt& interrupt)
      : folder_(folder),
        request_(request),
        writer_(writer),
        interrupt_(interrupt),
        warnings_(request.warnings) {}

  bool run() {
    take_left_attempts();
    tell({Seconds{0}, 0, 0, "starting"});
    RunContext& context = request_.probe.context;
    context.machine = describe_this_machine();
    for (const auto& reason : {lacks_extension(request_.probe.place_setup.needs, context.machine),
                               why_cannot_run(context.machine_type, context.machine)})
      if (reason) return finish(run_not_started(context, reason->text));
    if (auto prepared = prepare(); !prepared) {
      Run run = run_not_started(context, prepared.error().text);
      if (interrupt_.count() > 0) run.outcome = outcome::Interrupted{};
      return !may_go_on(run) && finish(std::move(run));
    }
    Run run = run_program();
    note_shut_down(run);
    // Nobody else resumes the run of a Slurm job.
    for (int i = 1; folder_.is_life_of_job() && may_go_on(run) && i < kMostAttempts; ++i) {
      note_cut(run);
      take_left_attempts();
      run = run_program();
    }
    if (folder_.is_life_of_job() || !may_go_on(run)) return finish(std::move(run));
    note_cut(run);
    return false;
  }

 private:
  /// Passes on the progress of this attempt, with the time of earlier ones added, because the
  /// coordinator counts all attempts.
  void tell(ProbeProgress progress) {
    const Seconds before = time_of(left_.attempts);
    progress.elapsed += before;
    if (progress.total)
      for (Seconds* bound : {&progress.total->low, &progress.total->mid, &progress.total->high})
        *bound += before;
    writer_.tell(progress_line(progress));
  }

  /// Finds the earlier attempts, and records them before this one begins.
  void take_left_attempts() {
    left_ = left_attempts(folder_, request_.probe);
    start_noted_ = false;
    if (!left_.attempts.empty()) writer_.tell(to_line(message::EarlierAttempts{left_.attempts}));
  }

  /// Records for the next attempt how long this one ran until it was cut off.
  void note_cut(const Run& run) {
    tell({run.wall(), std::ssize(laps_of(run)->laps), 0, "cut off"});
  }

  /// Returns whether the run can be resumed after it was cut off: lapcast was killed, or its
  /// machine is being shut down.
  bool may_go_on(const Run& run) {
    const bool was_killed = !cut_off_.empty();
    const bool is_shut_down = interrupt_.count() > 0 && !folder_.is_life_of_job() &&
                              !std::holds_alternative<outcome::Ended>(run.outcome);
    return request_.probe.goes_on_by_itself() && !ordered_ && (was_killed || is_shut_down);
  }

  /// Makes a session that ended because its machine is being shut down a cut one: nobody asked for
  /// its end.
  void note_shut_down(Run& run) {
    const auto& resume = request_.probe.resume;
    if (!resume || !resume->in_sessions || ordered_ || folder_.is_life_of_job() ||
        !std::holds_alternative<outcome::Interrupted>(run.outcome))
      return;
    cut_off_ = "its machine was being shut down";
    run.outcome = outcome::NotEnded{cut_off_};
  }

  Result<void> prepare() {
    const auto done = set_up(folder_, request_, interrupt_, [&](const std::string& what) {
      tell({Seconds{0}, 0, 0, what});
    });
    if (!done) return tl::unexpected(done.error());
    if (*done) request_.preparation.push_back(**done);
    if (const auto missing = missing_data(folder_, request_)) return tl::unexpected(*missing);
    const std::filesystem::path where = working_dir_of(folder_, request_);
    if (chdir(where.c_str()) == 0) return {};
    return because(fmt::format("cannot enter the program's folder {}: {}",
                               printable(where.string()), std::strerror(errno)));
  }

  Run run_program() {
    ProbeRequest probe = request_.probe;
    probe.run_parent = folder_.root();
    probe.keep_run_folder = true;  // until its result is safe; the record's folder goes as a whole
    if (probe.watch) probe.watch->ran_before = time_of(left_.attempts);
    if (probe.resume && !left_.run_dir.empty()) go_on_from_earlier_attempt(probe);
    if (folder_.is_life_of_job())
      start_on_nodes(probe.context, own_slurm_job(), own_binary().string());
    remove_stale_run_folders_and_cgroups(probe.run_parent);
    probe.place_setup = {};  // the place is this machine
    WorkerExecutor executor(interrupt_);
    cut_off_.clear();
    ticket_ = executor.start(probe);
    std::optional<Run> result;
    while (!result) {
      for (Executor::Event& event : executor.wait(200ms)) take(event, result);
      obey(executor);
    }
    if (folder_.is_life_of_job()) name_failed_node(*result);
    return std::move(*result);
  }

  /// Resumes after a reboot or the requeue of a job, in the run folder that was left, from its
  /// newest checkpoint.
  void go_on_from_earlier_attempt(ProbeRequest& probe) {
    probe.inherited_run_dir = folder_.root() / "inherited";
    if (rename(left_.run_dir.c_str(), probe.inherited_run_dir.c_str()) != 0) {
      warnings_.push_back(
          fmt::format("the run folder of the earlier attempt cannot be moved ({}): "
                      "the program begins anew",
                      std::strerror(errno)));
      return;
    }
    if (!left_.checkpoint) {
      warnings_.push_back("it was cut off before it wrote a checkpoint, and begun anew");
      return;
    }
    for (const std::string& argument : resume_arguments(*probe.resume, *left_.checkpoint))
      probe.context.program.push_back(argument);
    warnings_.push_back(fmt::format("it was cut off, and went on from {}", *left_.checkpoint));
  }

  void take(Executor::Event& event, std::optional<Run>& result) {
    if (const auto* progress = std::get_if<ProbeProgress>(&event.what)) {
      note_start(*progress);
      tell(*progress);
    } else if (const auto* so_far = std::get_if<RunSoFar>(&event.what)) {
      writer_.tell(run_so_far_line(so_far->run));
    } else if (auto* ended = std::get_if<Run>(&event.what)) {
      result = std::move(*ended);
      cut_off_ = event.cut_off;
    }
  }

  /// Records when the program was started, by this machine's clock. This is needed if nothing but
  /// the lap logs is left of the run.
  void note_start(const ProbeProgress& progress) {
    if (start_noted_ || progress.elapsed <= Seconds{0}) return;
    start_noted_ = true;
    const auto elapsed = to_ns(progress.elapsed);
    writer_.tell(fmt::format("B {}\n", monotonic_ns() - elapsed));
  }

  void obey(Executor& executor) {
    ask(executor, interrupt_.count());
    for (const std::string& order : writer_.take_orders()) {
      ordered_ = ordered_ || order == "stop" || order == "kill";
      if (order == "stop")
        ask(executor, 1);
      else if (order == "kill")
        ask(executor, 2);
      else
        executor.order(ticket_, order);
    }
  }

  /// Asks the program to end: gracefully if `times` is 1, at once if it is 2. The same order may
  /// come again.
  void ask(Executor& executor, int times) {
    for (; asked_ < times; ++asked_) executor.stop_all();
  }

  bool finish(Run run) {
    if (!cut_off_.empty()) run = ended_by_cut(std::move(run), cut_off_);
    run.preparation = request_.preparation;
    std::ranges::move(steps_of(left_.attempts), std::back_inserter(run.preparation));
    run.warnings.insert(run.warnings.end(), warnings_.begin(), warnings_.end());
    const bool kept = writer_.finish(run, [&] {
      if (!request_.probe.keep_run_folder) remove_run_folders();
    });
    if (kept) note_own_end(run);
    return kept;
  }

  /// Records for a life of a Slurm job that its result is final, unless Slurm ended it. Slurm's
  /// signals also reach the program, which may then end as if by itself; but they reach this
  /// process at the same time.
  void note_own_end(const Run& run) const {
    if (!folder_.is_life_of_job()) return;
    pollfd signals{interrupt_.fd(), POLLIN, 0};
    if (may_be_ended_by_slurm(run)) poll(&signals, 1, kSignalsPatienceMs);
    if (interrupt_.count() == 0)
      static_cast<void>(write_private_file(folder_.ended_file(), "this result stands\n"));
  }

  void remove_run_folders() const {
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator(folder_.root(), ignored))
      if (entry.path().filename().string().starts_with("lapcast-run-"))
        std::filesystem::remove_all(entry.path(), ignored);
  }

  const RecordFolder& folder_;
  RemoteRequest request_;
  RecordWriter& writer_;
  Interrupt& interrupt_;
  Executor::Ticket ticket_ = 0;
  std::vector<std::string> warnings_;
  LeftAttempts left_;
  std::string cut_off_;   // why the worker process of the last attempt died; empty = it did not
  bool ordered_ = false;  // the coordinator wants the run to end
  int asked_ = 0;         // how often the program was asked to end
  bool start_noted_ = false;
};

}  // namespace

bool record_run(const RecordFolder& folder, const RemoteRequest& request, RecordWriter& writer,
                Interrupt& interrupt) {
  return Recorder(folder, request, writer, interrupt).run();
}

void record_run_detached(const RecordFolder& folder, const RemoteRequest& request,
                         RecordWriter writer) {
  const auto record = [&] {
    try {
      Interrupt interrupt;
      record_run(folder, request, writer, interrupt);
    } catch (const std::exception& error) {
      writer.finish(run_not_started(request.probe.context, error.what()));
    }
    return 0;
  };
  const FileDescriptor output = open_private_log(folder.output_file());
  const int output_fd = output.is_open() ? output.get() : kNullStream;
  const Result<pid_t> recorder = spawn({.streams = {kNullStream, output_fd, output_fd},
                                        .group = ProcessGroup::own_session,
                                        .work = record,
                                        .prepare = [] { signal(SIGHUP, SIG_IGN); }});
  if (!recorder) throw Error(ExitCode::system_failed, recorder.error().text);
}

}  // namespace lapcast
