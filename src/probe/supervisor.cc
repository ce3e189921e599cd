#include "probe/supervisor.h"

#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/widening_schedule.h"
#include "probe/child_process.h"
#include "probe/compiler_folders.h"
#include "probe/cpu_quota.h"
#include "probe/hook_folder.h"
#include "probe/ids_and_time.h"
#include "probe/judge.h"
#include "probe/line_laps.h"
#include "probe/load_sampler.h"
#include "probe/memory_lack.h"
#include "probe/orders.h"
#include "probe/probe_judge.h"
#include "probe/program_signals.h"
#include "probe/rounds.h"
#include "probe/run_folder.h"
#include "probe/run_warnings.h"
#include "probe/tick_pace.h"
#include "probe/watch_judge.h"
#include "run/race_outcomes.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kPauseTick = 5'000'000;  // while an answer is waited for
constexpr MonotonicNs kTellEvery = 500'000'000;
constexpr Seconds kMoment{0.3};    // for what a program leaves behind to end by itself
constexpr Seconds kPatience{0.3};  // between a terminal's signals to a program and to lapcast

/// Observes one run, from its start to the last reaped child.
class Supervision {
 public:
  Supervision(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener,
              const UnderWayListener& under_way)
      : request_(request),
        compilers_(compiler_folders(variables_with(request.context.machine_type.environment))),
        interrupt_(interrupt),
        listener_(listener),
        under_way_(under_way),
        orders_(request.orders_fd),
        view_(request.watch ? request.watch->view : nullptr),
        folder_(request.run_parent, request.context.id, request.inherited_run_dir),
        laps_(folder_.lap_dir(), request.limits.max_log_bytes),
        rounds_(request.round, laps_),
        signals_(request.watch ? request.watch->checkpoint_signal : std::nullopt),
        lines_(request.lap_source, folder_.lap_dir()),
        connection_(connection_of(view_, lines_.needs_terminal())),
        foreign_(foreign_files_of(request, folder_.root())),
        output_(view_, lines_.listener()) {
    run_.context = request.context;
    if (request.keep_run_folder) folder_.keep();
  }

  Run observe() {
    Result<CpuQuota> quota = CpuQuota();
    if (request_.context.machine_type.cpu_quota) {
      quota = CpuQuota::create(*request_.context.machine_type.cpu_quota);
      if (!quota) return not_started(quota.error().text);
    }
    if (lacks_secrets(request_.context)) return not_started(kLacksSecrets);
    laps_.expect_hook(request_.hook && !request_.lap_source);
    SpawnSpec spec = launch_spec(request_, folder_, run_.warnings);
    if (const auto procs_fd = quota->procs_fd()) spec.cgroup_procs_fds.push_back(*procs_fd);
    memory_.bound(spec);
    folder_.describe(request_.context);
    run_.started_ns = monotonic_ns();
    laps_.set_start(run_.started_ns, request_.context.machine.host);
    lines_.begin(run_.started_ns, request_.context.machine.host);
    const auto child = ChildProcess::start(spec, connection_);
    if (!child) return not_started(child.error().text);
    child_ = child->get();
    output_.open(*child_);
    load_ = load_sampler_of(run_, quota->directory(), folder_.lap_dir());
    judge_ = request_.watch ? watch_judge(request_, run_.started_ns)
                            : probe_judge(request_, run_.started_ns);
    signals_.begin(*child_, run_.started_ns);
    while (!status_) {
      wait_for_something();
      look();
    }
    if (!stopping_ && was_interrupted()) stop(outcome::Interrupted{});
    finish(*quota);
    return std::move(run_);
  }

 private:
  Run not_started(const std::string& why) {
    run_.outcome = outcome::NotStarted{why};
    run_.started_ns = run_.ended_ns = monotonic_ns();
    return std::move(run_);
  }

  /// Returns whether keys of the terminal ended the program; their signals reach lapcast, too.
  bool was_interrupted() const {
    if (!connection_.joined_group) return false;
    const bool failed = status_->signal != 0 || status_->status != 0;
    return interrupt_.count_after(failed ? kPatience : Seconds{0}) > interrupts_seen_;
  }

  void wait_for_something() {
    std::vector<pollfd> fds{{child_->exit_fd(), POLLIN, 0},
                            {interrupts_seen_ == 0 ? interrupt_.fd() : -1, POLLIN, 0},
                            {orders_.fd(), POLLIN, 0}};
    output_.add_to(fds);
    MonotonicNs wait = pace_.time_left(monotonic_ns());
    if (rounds_.awaits_answer()) wait = std::min(wait, kPauseTick);
    poll(fds.data(), fds.size(), static_cast<int>(wait / 1'000'000) + 1);
  }

  /// Handles all that may have happened since the last look.
  void look() {
    output_.pump();
    const MonotonicNs now = monotonic_ns();
    const int interrupts = interrupt_.count();
    follow_orders();  // those that came before an interrupt count first
    if (interrupts > interrupts_seen_) {
      interrupts_seen_ = interrupts;
      interrupt(interrupts_seen_ > 1);
    }
    signals_.look(now);
    status_ = child_->status();
    if (rounds_.awaits_answer() && !status_ && rounds_.take_answer(now)) suspend();
    if (pace_.is_due(now) && !status_) tick(now);
  }

  void tick(MonotonicNs now) {
    if (load_ && !is_suspended() && !stopping_) load_->look(now);
    const bool any_new = laps_.poll();
    if (auto lack = memory_.look(now, !stopping_ && !is_suspended())) stop(std::move(*lack));
    if (!stopping_ && lines_.wants_look(now))
      lines_.look(now, laps_.log(), laps_.hook().may_report());
    if (!stopping_ && !is_suspended() && !rounds_.awaits_answer()) judge(any_new, now);
    warn(judge_->take_warnings());
    if (foreign_) foreign_->look_when_due(child_->pid(), now);
    if (now >= next_tell_) {
      warn(memory_.take_warnings(now, run_));
      tell(progress(now));
      disk_.look();
      next_tell_ = now + kTellEvery;
    }
    if (is_saved_ && under_way_.on_save && saves_.is_due(ran(now))) save(now);
    if (!stopping_) signals_.ask_when_due(now);
    pace_.ticked(now, monotonic_ns(), run_.started_ns, is_suspended());
  }

  void judge(bool any_new, MonotonicNs now) {
    auto outcome = judge_->look(laps_, any_new, ran(now));
    const bool is_enough = outcome && std::holds_alternative<outcome::Enough>(*outcome);
    const bool goes_on = is_enough && request_.round && request_.round->until_enough;
    if (outcome && !goes_on)
      stop(std::move(*outcome));
    else if (rounds_.is_over(ran(now), is_enough) && !rounds_.ask_for_pause(now))
      suspend();
  }

  /// Returns the time since the start, without the pauses.
  Seconds ran(MonotonicNs now) const {
    return rounds_.suspension().without_pauses(run_.started_ns, now);
  }

  bool is_suspended() const { return rounds_.suspension().active(); }

  void suspend() {
    if (load_) load_->sample(monotonic_ns());
    rounds_.suspend(child_->pid());
    if (under_way_.on_suspend)
      under_way_.on_suspend(so_far(end_of_round(), rounds_.suspension().begun_ns()));
  }

  Run so_far(Outcome outcome, MonotonicNs until) const {
    Run run = run_;
    run.outcome = std::move(outcome);
    run.ended_ns = until;
    run.pauses = rounds_.suspension().pauses();
    run.usage.peak_rss_bytes = rounds_.suspension().peak_memory_bytes();
    run.lap_logs = laps_.texts();
    return run;
  }

  void save(MonotonicNs now) {
    Run run = so_far(outcome::NotEnded{"it goes on, or lapcast was killed"}, now);
    judge_->add_results(run);
    under_way_.on_save(run);
  }

  void go_on(const Round& round) {
    rounds_.begin(round);
    if (!is_suspended() || stopping_) return;
    if (under_way_.before_next && !under_way_.before_next()) return stop(outcome::Interrupted{});
    if (load_) load_->restart(monotonic_ns());
    rounds_.go_on(child_->pid());
    pace_.go_on(monotonic_ns());
  }

  void follow_orders() {
    for (const Order& order : orders_.take()) {
      if (const auto* round = std::get_if<Round>(&order)) go_on(*round);
      if (const auto* end = std::get_if<order::End>(&order)) end_as(end->why);
      if (const auto* end = std::get_if<order::Stop>(&order)) interrupt(end->at_once);
    }
    if (orders_.ended() && is_suspended()) stop(outcome::Interrupted{});
  }

  void end_as(const Outcome& wanted) {
    if (stopping_) return;
    ordered_end_ = wanted;
    stop(with_laps(wanted, laps_.log()));
  }

  void interrupt(bool at_once) {
    stop(outcome::Interrupted{});
    if (at_once) signals_.kill_at(monotonic_ns());
  }

  void stop(Outcome why) {
    if (stopping_) return;
    stopping_ = true;
    rounds_.give_up_pause();
    run_.outcome = std::move(why);
    run_.stop_sent_ns = monotonic_ns();
    if (load_ && !is_suspended()) load_->sample(*run_.stop_sent_ns);
    // On a terminal, Ctrl-C has reached the program already, which may be about to save.
    const bool may_save =
        connection_.joined_group && std::holds_alternative<outcome::Interrupted>(run_.outcome);
    signals_.end(*run_.stop_sent_ns, request_.limits.grace, may_save);
    if (is_suspended()) rounds_.suspension().end(child_->pid());
    child_->signal_group(SIGCONT);
  }

  void tell(const ProbeProgress& progress) const {
    if (listener_) listener_(progress);
    if (view_ != nullptr) view_->show(progress);
  }

  void warn(const std::vector<std::string>& warnings) const {
    if (view_ == nullptr) return;
    for (const std::string& warning : warnings) view_->warn(warning);
  }

  ProbeProgress progress(MonotonicNs now) const {
    ProbeProgress progress;
    progress.elapsed = ran(now);
    judge_->describe(laps_, progress);
    if (load_) progress.gpus = load_->newest_gpus();
    if (is_suspended())
      progress.state = "suspended after " + std::to_string(progress.laps) + " laps";
    if (stopping_) progress.state = "stopping";
    return progress;
  }

  void finish(CpuQuota& quota) {
    if (is_suspended()) rounds_.suspension().note_end();  // it was killed
    run_.ended_ns = monotonic_ns();
    child_->reap();
    run_.pauses = rounds_.suspension().pauses();
    if (const Result<void> unchanged = quota.check_unchanged(); !unchanged)
      run_.warnings.push_back(unchanged.error().text);
    if (load_) load_->end_helper();
    const bool rest_lives = view_ != nullptr && !stopping_;  // as without lapcast
    child_->let_rest_live(rest_lives);
    if (rest_lives) quota.release();
    output_.pump();  // before the wait for what is left: its lines are timed
    const std::vector<LeftProcess> left = child_->end_rest(stopping_ ? Seconds{0} : kMoment);
    output_.finish(interrupt_);
    laps_.poll();
    if (!laps_.log().laps.empty())
      write_compile_caches(compilers_.look_again(), run_, folder_.lap_dir());
    lines_.finish(run_.ended_ns, !stopping_, laps_.log(), stopping_ && laps_.hook().may_report());
    laps_.finish();
    if (ordered_end_)
      run_.outcome = with_laps(*ordered_end_, laps_.log());  // the last laps may have come since
    run_.usage = child_->usage();
    run_.standard_output = output_.text(Stream::output);
    run_.standard_error = output_.text(Stream::error);
    if (!stopping_) run_.outcome = end_of(*status_, laps_);
    lines_.correct(run_.outcome, laps_.log(), judge_->reached_limit());
    memory_.explain(run_.outcome, run_.ended_ns);
    disk_.explain_missing_laps(run_);
    add_warnings(left);
    judge_->add_results(run_);
    run_.lap_logs = laps_.texts();
    if (view_ != nullptr) view_->end();
    if (rest_lives) output_.go_on_without_us();
  }

  void add_warnings(const std::vector<LeftProcess>& left) {
    for (auto warnings :
         {warnings_about(run_, laps_.log(), left), laps_.warnings(),
          foreign_ ? foreign_->warnings() : std::vector<std::string>(), signals_.warnings()})
      std::ranges::move(warnings, std::back_inserter(run_.warnings));
    warn(run_.warnings);
    warn(laps_.log().notes);
    if (load_) warn(warnings_about_load(*load_, laps_.log(), run_));
  }

  const ProbeRequest& request_;
  const CompilerFolders compilers_;
  Interrupt& interrupt_;
  const ProbeListener& listener_;
  const UnderWayListener& under_way_;
  OrderReader orders_;
  std::optional<Outcome> ordered_end_;
  ProgramView* view_;  // nullptr = none
  Run run_;
  RunFolder folder_;
  DiskWatch disk_{folder_};
  LapFolder laps_;
  Rounds rounds_;
  ProgramSignals signals_;
  LineLaps lines_;
  const Connection connection_;
  std::optional<ForeignFiles> foreign_;
  std::unique_ptr<Judge> judge_;
  ProgramOutput output_;
  ChildProcess* child_ = nullptr;
  std::optional<LoadSampler> load_;  // from the start of the program, unless switched off
  MemoryLack memory_{request_, laps_, output_, load_};
  std::optional<ExitStatus> status_;
  const bool is_saved_ = request_.watch || request_.save_every;
  WideningSchedule saves_{request_.save_every};
  bool stopping_ = false;
  int interrupts_seen_ = 0;
  TickPace pace_;
  MonotonicNs next_tell_ = 0;
};

}  // namespace

Run supervise(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener,
              const UnderWayListener& under_way) {
  return Supervision(request, interrupt, listener, under_way).observe();
}

}  // namespace lapcast
