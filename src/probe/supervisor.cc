#include "probe/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/widening_schedule.h"
#include "posix/files.h"
#include "probe/child_process.h"
#include "probe/compiler_folders.h"
#include "probe/cpu_quota.h"
#include "probe/gpu_memory_error.h"
#include "probe/hook_folder.h"
#include "probe/ids_and_time.h"
#include "probe/judge.h"
#include "probe/line_laps.h"
#include "probe/load_sampler.h"
#include "probe/orders.h"
#include "probe/processes.h"
#include "probe/run_folder.h"
#include "probe/run_warnings.h"
#include "run/race_outcomes.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kMillisecond = 1'000'000;
constexpr MonotonicNs kSecond = 1'000'000'000;
// The emitter writes every 100 ms. A short probe is looked at as often, so that it ends as soon as
// it has enough laps; a longer one less often, because every wake-up takes time from the program.
constexpr MonotonicNs kTick = 100 * kMillisecond;
constexpr MonotonicNs kLateTick = 200 * kMillisecond;
constexpr MonotonicNs kLate = 3 * kSecond;
constexpr MonotonicNs kTimesTheTick = 4;  // the least pause after a tick, in times of its length
constexpr MonotonicNs kPauseTick = 5 * kMillisecond;  // while an answer is waited for
constexpr MonotonicNs kPauseLimit = 2 * kSecond;      // for the answer, and some laps more
constexpr MonotonicNs kPauseLaps = 3;
constexpr MonotonicNs kTellEvery = 500 * kMillisecond;
constexpr Seconds kMoment{0.3};    // in which what a program leaves behind may end by itself
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
        round_(request.round),
        orders_(request.orders_fd),
        view_(request.watch ? request.watch->view : nullptr),
        folder_(request.run_parent, request.context.id, request.inherited_run_dir),
        laps_(folder_.lap_dir(), request.limits.max_log_bytes),
        lines_(request.lap_source, folder_.lap_dir()),
        connection_(connection_of(view_, lines_.needs_terminal())),
        output_(view_, lines_.listener()) {
    run_.context = request.context;
    if (request.watch) asks_to_save_ = request.watch->checkpoint_signal;
    if (request.keep_run_folder) folder_.keep();
    // A watched run is the user's own training, which may write where it likes.
    if (!request.watch)
      foreign_.emplace(std::filesystem::current_path(),
                       written_by_lapcast(folder_.root(), request.store_file));
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
    spec.cgroup_procs_fd = quota->procs_fd();
    folder_.describe(request_.context);
    run_.started_ns = monotonic_ns();
    laps_.set_start(run_.started_ns, request_.context.machine.host);
    lines_.begin(run_.started_ns, request_.context.machine.host);
    const auto child = ChildProcess::start(spec, connection_);
    if (!child) return not_started(child.error().text);
    child_ = child->get();
    output_.open(*child_);
    load_ = load_sampler_of(run_, quota->directory(), folder_.lap_dir());
    judge_ = judge_for(request_, run_.started_ns);
    if (asks_to_save_) next_ask_ = run_.started_ns + to_ns(asks_to_save_->every);
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

  /// Returns whether the program ended by keys of its terminal, whose signals come to lapcast too.
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
    MonotonicNs wait = std::max<MonotonicNs>(next_tick_ - monotonic_ns(), 0);
    if (pause_limit_) wait = std::min(wait, kPauseTick);
    poll(fds.data(), fds.size(), static_cast<int>(wait / kMillisecond) + 1);
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
    if (term_at_ && now >= *term_at_) {
      child_->signal_group(SIGTERM);
      term_at_.reset();
    }
    if (kill_at_ && now >= *kill_at_) {
      child_->signal_group(SIGKILL);
      kill_at_ = now + kSecond;  // again: a process may have joined the group meanwhile
    }
    status_ = child_->status();
    if (pause_limit_ && !status_) look_for_pause(now);
    if (now >= next_tick_ && !status_) tick(now);
  }

  void tick(MonotonicNs now) {
    if (load_ && !suspension_.active() && !stopping_) load_->look(now);
    const bool any_new = laps_.poll();
    if (!stopping_ && lines_.wants_look(now))
      lines_.look(now, laps_.log(), laps_.hook().may_report());
    if (!stopping_ && !suspension_.active() && !pause_limit_) judge(any_new, now);
    warn(judge_->take_warnings());
    if (foreign_ && now >= next_foreign_look_) {
      foreign_->look(child_->pid());
      next_foreign_look_ = now + 2 * kSecond;
    }
    if (now >= next_tell_) {
      if (!stopping_ && !suspension_.active()) end_what_has_failed(now);
      tell(progress(now));
      disk_.look();
      next_tell_ = now + kTellEvery;
    }
    if (request_.watch && under_way_.on_save && saves_.is_due(ran(now))) save(now);
    if (!stopping_ && asks_to_save_ && asks_to_save_->every.count() > 0 && now >= next_ask_) {
      next_ask_ = now + to_ns(asks_to_save_->every);
      if (!ask_to_save()) ++unheard_;
    }
    const MonotonicNs took = monotonic_ns() - now;
    const MonotonicNs pause = suspension_.active()            ? kSecond
                              : now - run_.started_ns < kLate ? kTick
                                                              : kLateTick;
    next_tick_ = now + took + std::max(pause - took, kTimesTheTick * took);
  }

  void judge(bool any_new, MonotonicNs now) {
    auto outcome = judge_->look(laps_, any_new, ran(now));
    const bool is_enough = outcome && std::holds_alternative<outcome::Enough>(*outcome);
    const bool goes_on = is_enough && request_.round && request_.round->until_enough;
    if (outcome && !goes_on)
      stop(std::move(*outcome));
    else if (round_ && (is_over(*round_, now) || (is_enough && round_->until_enough)))
      pause(now);
  }

  /// Ends a probe whose program has said that it is out of GPU memory and does not end: after the
  /// grace where an exception is sure to end it, else after a budget without a lap.
  void end_what_has_failed(MonotonicNs now) {
    gpu_memory_.look(output_.text(Stream::error), laps_.log().laps.size(), now);
    if (!gpu_memory_.message() || request_.watch) return;
    const Seconds silent = gpu_memory_.silent_for(now);
    const Seconds grace = request_.limits.grace;
    if (silent >= (laps_.hook().raised ? grace : std::max(grace, request_.limits.budget)))
      stop(of_gpu_memory());
  }

  Outcome of_gpu_memory() const {
    return out_of_gpu_memory(*gpu_memory_.message(), run_.context, laps_.log(),
                             load_ ? std::span(load_->gpus()) : std::span<const GpuSample>());
  }

  /// Puts the lack of memory in the place of what followed from it.
  void explain_by_gpu_memory() {
    gpu_memory_.look(output_.text(Stream::error), laps_.log().laps.size(), run_.ended_ns);
    const bool may_follow = std::holds_alternative<outcome::Crashed>(run_.outcome) ||
                            std::holds_alternative<outcome::NoLaps>(run_.outcome) ||
                            (std::holds_alternative<outcome::BudgetSpent>(run_.outcome) &&
                             !was_stopped_by_race(run_.outcome));
    if (gpu_memory_.message() && may_follow) run_.outcome = of_gpu_memory();
  }

  /// Returns the time since the start, without the pauses.
  Seconds ran(MonotonicNs now) const { return suspension_.without_pauses(run_.started_ns, now); }

  bool is_over(const Round& round, MonotonicNs now) const {
    const auto laps = static_cast<std::int64_t>(laps_.log().laps.size());
    return (round.laps > 0 && laps >= round.laps) ||
           (round.ran.count() > 0 && ran(now) >= round.ran);
  }

  /// Suspends the program, once its devices have nothing to do where it answers that.
  void pause(MonotonicNs now) {
    if (!laps_.ask_for_pause()) return suspend(std::nullopt);
    const Lap& last = laps_.log().laps.back();
    pause_limit_ = now + kPauseLimit + kPauseLaps * (last.end_ns - last.begin_ns);
  }

  void look_for_pause(MonotonicNs now) {
    const auto idle_since = laps_.pause_answer();
    if (!idle_since && now < *pause_limit_) return;
    pause_limit_.reset();
    suspend(idle_since);
  }

  void give_up_pause() {
    if (pause_limit_) laps_.end_pause();
    pause_limit_.reset();
  }

  void suspend(std::optional<MonotonicNs> idle_since) {
    if (load_) load_->sample(monotonic_ns());
    suspension_.begin(child_->pid(), idle_since, laps_.log().on_device && !idle_since);
    laps_.poll();
    if (under_way_.on_suspend)
      under_way_.on_suspend(so_far(end_of_round(), suspension_.begun_ns()));
  }

  Run so_far(Outcome outcome, MonotonicNs until) const {
    Run run = run_;
    run.outcome = std::move(outcome);
    run.ended_ns = until;
    run.pauses = suspension_.pauses();
    run.usage.peak_rss_bytes = suspension_.peak_memory_bytes();
    run.lap_logs = laps_.texts();
    return run;
  }

  void save(MonotonicNs now) {
    Run run = so_far(outcome::NotEnded{"it goes on, or lapcast was killed"}, now);
    judge_->add_results(run);
    under_way_.on_save(run);
  }

  void go_on(const Round& round) {
    round_ = round;
    give_up_pause();
    if (!suspension_.active() || stopping_) return;
    if (under_way_.before_next && !under_way_.before_next()) return stop(outcome::Interrupted{});
    if (load_) load_->restart(monotonic_ns());
    laps_.end_pause();
    suspension_.end(child_->pid());
    next_tick_ = monotonic_ns() + kTick;
  }

  void follow_orders() {
    for (const Order& order : orders_.take()) {
      if (const auto* round = std::get_if<Round>(&order)) go_on(*round);
      if (const auto* end = std::get_if<order::End>(&order)) end_as(end->why);
      if (const auto* end = std::get_if<order::Stop>(&order)) interrupt(end->at_once);
    }
    if (orders_.ended() && suspension_.active()) stop(outcome::Interrupted{});
  }

  void end_as(const Outcome& wanted) {
    if (stopping_) return;
    ordered_end_ = wanted;
    stop(with_laps(wanted, laps_.log()));
  }

  void interrupt(bool at_once) {
    stop(outcome::Interrupted{});
    if (at_once) kill_at_ = monotonic_ns();
  }

  void stop(Outcome why) {
    if (stopping_) return;
    stopping_ = true;
    give_up_pause();
    run_.outcome = std::move(why);
    run_.stop_sent_ns = monotonic_ns();
    if (load_ && !suspension_.active()) load_->sample(*run_.stop_sent_ns);
    // On a terminal, Ctrl-C has reached the program already, which may be about to save.
    const bool may_save =
        connection_.joined_group && std::holds_alternative<outcome::Interrupted>(run_.outcome);
    if (ask_to_save() || may_save)
      term_at_ = *run_.stop_sent_ns + to_ns(request_.limits.grace / 2);
    else
      child_->signal_group(SIGTERM);
    if (suspension_.active()) suspension_.end(child_->pid());
    child_->signal_group(SIGCONT);
    kill_at_ = *run_.stop_sent_ns + to_ns(request_.limits.grace);
  }

  /// Returns whether the program was asked, and hears it.
  bool ask_to_save() const {
    if (!asks_to_save_ || !catches(child_->pid(), asks_to_save_->signal)) return false;
    kill(child_->pid(), asks_to_save_->signal);
    return true;
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
    if (suspension_.active())
      progress.state = "suspended after " + std::to_string(progress.laps) + " laps";
    if (stopping_) progress.state = "stopping";
    return progress;
  }

  void finish(CpuQuota& quota) {
    if (suspension_.active()) suspension_.note_end();  // it was killed
    run_.ended_ns = monotonic_ns();
    child_->reap();
    run_.pauses = suspension_.pauses();
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
    explain_by_gpu_memory();
    disk_.explain_missing_laps(run_);
    add_warnings(left);
    judge_->add_results(run_);
    run_.lap_logs = laps_.texts();
    if (view_ != nullptr) view_->end();
    if (rest_lives) output_.go_on_without_us();
  }

  void add_warnings(const std::vector<LeftProcess>& left) {
    for (auto warnings : {warnings_about(run_, laps_.log(), left), laps_.warnings()})
      std::ranges::move(warnings, std::back_inserter(run_.warnings));
    if (foreign_)
      if (std::string text = warning_of_foreign_files(foreign_->finish()); !text.empty())
        run_.warnings.push_back(std::move(text));
    if (unheard_ > 0)
      run_.warnings.push_back(fmt::format(
          "{} requests for a checkpoint were not sent: the program had no handler for the "
          "signal of --checkpoint-signal",
          unheard_));
    warn(run_.warnings);
    warn(laps_.log().notes);
    if (load_) warn(warnings_about_others(load_->samples()));
    if (load_) warn(warnings_about_gpus(load_->gpus(), laps_.log(), run_.started_ns));
  }

  const ProbeRequest& request_;
  const CompilerFolders compilers_;
  Interrupt& interrupt_;
  const ProbeListener& listener_;
  const UnderWayListener& under_way_;
  std::optional<Round> round_;
  OrderReader orders_;
  std::optional<Outcome> ordered_end_;
  Suspension suspension_;
  std::optional<MonotonicNs> pause_limit_;  // until when an answer is waited for
  ProgramView* view_;                       // nullptr = none
  Run run_;
  RunFolder folder_;
  DiskWatch disk_{folder_};
  LapFolder laps_;
  LineLaps lines_;
  const Connection connection_;
  std::optional<ForeignFiles> foreign_;
  std::unique_ptr<Judge> judge_;
  ProgramOutput output_;
  ChildProcess* child_ = nullptr;
  GpuMemoryWatch gpu_memory_;
  std::optional<LoadSampler> load_;  // from the start of the program, unless switched off
  std::optional<ExitStatus> status_;
  WideningSchedule saves_;
  bool stopping_ = false;
  int interrupts_seen_ = 0;
  std::optional<CheckpointSignal> asks_to_save_;
  MonotonicNs next_ask_ = 0;
  int unheard_ = 0;  // requests for a checkpoint
  std::optional<MonotonicNs> term_at_;
  std::optional<MonotonicNs> kill_at_;
  MonotonicNs next_tick_ = 0;
  MonotonicNs next_foreign_look_ = 0;
  MonotonicNs next_tell_ = 0;
};

}  // namespace

Run supervise(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener,
              const UnderWayListener& under_way) {
  return Supervision(request, interrupt, listener, under_way).observe();
}

}  // namespace lapcast
