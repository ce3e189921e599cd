#include "commands/offload/session_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/console.h"
#include "cli/page_file.h"
#include "cli/progress_line.h"
#include "cli/watch_view.h"
#include "commands/offload/job_display.h"
#include "commands/offload/offload.h"
#include "commands/offload/session_folder.h"
#include "commands/offload/session_report.h"
#include "commands/offload/session_set.h"
#include "core/units.h"
#include "probe/ids_and_time.h"
#include "remote/record.h"
#include "remote/run_at_place.h"
#include "run/attempts.h"
#include "run/sessions.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr Seconds kHomeEvery{30};
constexpr int kMostWithoutCheckpoint = 2;  // sessions in a row

/// Says why no further session is begun.
struct SessionsEnd {
  ExitCode code = ExitCode::ok;
  std::string why;  // empty: the training has ended
};

/// Runs one training in sessions.
class SessionTraining {
 public:
  SessionTraining(const Globals& globals, Store& store, const Interrupt& interrupt,
                  const OffloadArguments& options, const std::vector<Destination>& machines,
                  Sweep set)
      : globals_(globals),
        store_(store),
        interrupt_(interrupt),
        options_(options),
        machines_(machines),
        set_(std::move(set)),
        folder_(std::filesystem::absolute("lapcast-" + set_.id), options.checkpoints) {}

  SessionsEnd run() {
    remove_what_is_left();
    while (true) {
      runs_ = store_.runs({.sweep = set_.id, .own = true});
      if (so_far().ended) return {};
      if (auto end = why_no_more()) return *std::move(end);
      if (!follow_what_is_under_way()) begin_next();
    }
  }
  const std::vector<Run>& runs() const { return runs_; }
  const std::filesystem::path& folder() const { return folder_.path(); }

 private:
  SessionsTraining so_far() const { return merge_sessions(runs_); }

  /// Removes what earlier sessions left on machines that were out of reach.
  void remove_what_is_left() {
    for (const PendingRun& pending : store_.pending_runs()) {
      if (pending.sweep != set_.id || pending.purpose != kRemoval) continue;
      const auto request = remote_request_from_json(pending.request);
      if (request && remote_run(request->probe, interrupt_)->remove())
        store_.remove_pending_run(pending.id);
    }
  }

  std::optional<SessionsEnd> why_no_more() const {
    const std::string last = runs_.empty() ? "" : describe(runs_.back().outcome);
    if (was_cancelled_) return SessionsEnd{ExitCode::interrupted, "its session was cancelled"};
    const auto& most = options_.limits.max_time;
    if (is_over_limit_ || (most && so_far().time() >= *most))
      return SessionsEnd{ExitCode::over_limit, last};
    if (without_checkpoint_ >= kMostWithoutCheckpoint)
      return SessionsEnd{ExitCode::program_failed,
                         fmt::format("{} sessions in a row wrote no checkpoint ({} in the run "
                                     "folder): {}",
                                     without_checkpoint_, printable(options_.checkpoints), last)};
    if (not_begun_ >= machines_.size())
      return SessionsEnd{ExitCode::system_failed,
                         "none of the machines began a session: " + why_not_begun_};
    return std::nullopt;
  }

  // One session ---------------------------------------------------------------------------------

  /// Follows the session that an earlier command left under way. Returns false if there is none.
  bool follow_what_is_under_way() {
    for (const OffloadedJob& job : offloaded_in(store_)) {
      if (job.pending_run.sweep != set_.id) continue;
      line_.finished(fmt::format("going on with the session on {}",
                                 printable(job.request.context.machine_type.name)));
      session(job.request);
      return true;
    }
    return false;
  }

  /// Begins a session on the machine after that of the last one.
  void begin_next() {
    const Destination& machine = next_machine();
    ProbeRequest request = session_request(machine);
    last_machine_ = machine.context.machine_type.name;
    try {
      check_destination(request, machine.machine, interrupt_);
    } catch (const Error& error) {
      if (error.code() != ExitCode::system_failed) throw;
      if (interrupt_.count() > 0) throw;
      pass_over(error.what());
      return;
    }
    ask_queue(request, store_, options_);
    session(request);
  }

  const Destination& next_machine() const {
    std::string last = last_machine_;
    if (last.empty() && !runs_.empty()) last = runs_.back().context.machine_type.name;
    const auto found = std::ranges::find_if(machines_, [&](const Destination& machine) {
      return machine.context.machine_type.name == last;
    });
    return found == machines_.end() || std::next(found) == machines_.end() ? machines_.front()
                                                                           : *std::next(found);
  }

  ProbeRequest session_request(const Destination& machine) const {
    OffloadArguments options = options_;
    const SessionsTraining before = so_far();
    if (auto& most = options.limits.max_time) *most = *most - before.time();
    if (auto& most = options.limits.max_cost; most && before.cost()) *most = *most - *before.cost();
    ProbeRequest request = training_request(options, machine);
    request.context.sweep = set_.id;
    request.store_file = store_.file();
    request.resume->in_sessions = true;
    request.watch->limits.session = options_.session_time;
    return request;
  }

  void pass_over(const std::string& why) {
    ++not_begun_;
    why_not_begun_ = why;
    line_.finished(
        fmt::format("{} is passed over: {}", printable(last_machine_), printable(why, 1000)));
  }

  /// Begins a session, or finds the one that was begun before, and follows it to its end.
  void session(const ProbeRequest& request) {
    const OffloadedJob job{pending_training(request, kSession, ""), request};
    last_machine_ = request.context.machine_type.name;
    OffloadedRun run(job, interrupt_, remote_run(request, interrupt_));
    const auto before = folder_.newest_checkpoint();
    if (const auto begun = begin(run); !begun) {
      if (interrupt_.count() > 0) leave(run);
      (void)run.remote().order("kill");  // it may have begun all the same
      if (nodes_of(request.place_setup.place) > 1) (void)folder_.bring(run.remote());  // on some
      end(run, run_not_started(request.context, begun.error().text), before);
      return;
    }
    follow(run);
    const OffloadState& state = run.state();
    if (state.run) return end(run, *state.run, before);
    const Reason& lost = *state.lost;
    end(run,
        state.so_far ? ended_by_cut(*state.so_far, lost.text)
                     : run_not_started(request.context, lost.text),
        before);
  }

  Result<void> begin(OffloadedRun& run) {
    const ProbeRequest& request = run.job().request;
    store_.save_pending_run(pending_training(request, kSession, typed_line(globals_)));
    const auto tell = [this](const std::string& what) { line_.show(what); };
    if (auto sent = folder_.send_to(request, &interrupt_, tell); !sent) return sent;
    auto begun = run.remote().begin(tell);
    if (begun) store_.save_pending_run(run.job().pending_run);
    line_.clear();
    return begun;
  }

  void follow(OffloadedRun& run) {
    JobDisplay display(run.job(), globals_.quiet);
    const auto show = display.listener();
    MonotonicNs home = monotonic_ns();
    while (!run.is_over()) {
      if (interrupt_.count() > 0) {
        display.end();
        leave(run);
      }
      show(run.follow(500ms));
      if (run.is_over() || from_ns(monotonic_ns() - home) < kHomeEvery) continue;
      (void)folder_.bring(run.remote());
      home = monotonic_ns();
    }
    display.end();
  }

  [[noreturn]] void leave(const OffloadedRun& run) {
    line_.clear();
    const std::string& id = run.job().pending_run.id;
    throw Error(ExitCode::interrupted,
                fmt::format("the session on {} goes on: the same command follows it, lapcast "
                            "cancel {} ends it",
                            printable(last_machine_), id));
  }

  /// Brings home what a session wrote, stores its run and removes what it left on its machine.
  void end(OffloadedRun& run, Run result, const std::optional<SavedCheckpoint>& before) {
    const bool began = !std::holds_alternative<outcome::NotStarted>(result.outcome);
    if (began && run.state().run) bring_all(run, result);
    const auto saved = folder_.newest_checkpoint();
    if (began) {
      note_session(result, so_far(), saved ? ran_until(result, saved->written_s) : Seconds{0});
      say_end(result);
      not_begun_ = 0;
      without_checkpoint_ = saved == before ? without_checkpoint_ + 1 : 0;
    }
    was_cancelled_ = std::holds_alternative<outcome::Interrupted>(result.outcome);
    is_over_limit_ = is_over_limit(run.job().request, result);
    store_.add(result, true);
    const std::string why = began ? "" : describe(result.outcome);
    if (const auto removed = run.remote().remove())
      store_.remove_pending_run(result.context.id);
    else
      line_.finished(fmt::format("its folder on {} is left: {}", printable(last_machine_),
                                 printable(removed.error().text, 1000)));
    if (!began) pass_over(why);
  }

  /// Returns whether a session was stopped at a limit of the whole training, on its own machine. A
  /// queue stops jobs, too: there the next session meets the limit.
  bool is_over_limit(const ProbeRequest& request, const Run& result) const {
    const WatchLimits& limits = request.watch->limits;
    const bool reached_session_time = limits.session && result.wall() >= *limits.session;
    const bool node_failed = std::holds_alternative<outcome::NoLaps>(result.outcome);
    return (limits.max_time || limits.max_cost) && limits.stop && result.stop_sent_ns &&
           !was_cancelled_ && !node_failed && !reached_session_time &&
           !is_queued(request.place_setup.place);
  }

  /// Throws Error where the results of the whole training cannot be brought: they stay on their
  /// machine, and the same command tries again.
  void bring_all(OffloadedRun& run, const Run& result) {
    const auto brought = folder_.bring(run.remote());
    if (brought) return;
    if (std::holds_alternative<outcome::Ended>(result.outcome))
      throw Error(ExitCode::system_failed,
                  brought.error().text + "; the same command tries again to bring the results");
    say("warning: {}; the next session goes on from what came before",
        printable(brought.error().text, 1000));
  }

  void say_end(const Run& result) {
    line_.finished(
        fmt::format("{}: {}", printable(last_machine_), printable(watch_words(result), 1000)));
  }

  const Globals& globals_;
  Store& store_;
  const Interrupt& interrupt_;
  const OffloadArguments& options_;
  const std::vector<Destination>& machines_;
  const Sweep set_;
  SessionFolder folder_;
  ProgressLine line_{globals_.quiet};
  std::vector<Run> runs_;       // of all sessions, in the order of time
  std::string last_machine_;    // of this command; empty = it has begun no session
  int without_checkpoint_ = 0;  // sessions in a row
  std::size_t not_begun_ = 0;   // machines in a row
  std::string why_not_begun_;   // of the last of them
  bool was_cancelled_ = false;
  bool is_over_limit_ = false;
};

}  // namespace

ExitCode train_in_sessions(const Globals& globals, const OffloadArguments& options) {
  const std::vector<Destination> machines = session_machines(globals, options);
  const RunContext& context = machines.front().context;
  Store store = globals.open_store();
  Interrupt interrupt;
  const SweepLock lock = lock_sessions(store, context, interrupt);
  warn_of_files_left(store, context);
  const Sweep set = set_of_sessions(store, context, typed_line(globals), options.again);
  SessionTraining training(globals, store, interrupt, options, machines, set);
  const SessionsEnd end = training.run();
  print(globals, session_tables(set.id, training.runs(), training.folder(), end.why));
  if (!end.why.empty()) throw Error(end.code, "the training has not ended: " + end.why);
  return end.code;
}

}  // namespace lapcast
