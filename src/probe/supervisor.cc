#include "probe/supervisor.h"

#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "core/units.h"
#include "probe/cpu_quota.h"
#include "forecast/stopping_rule.h"
#include "probe/child_process.h"
#include "forecast/early_stopping.h"
#include "probe/foreign_files.h"
#include "probe/lap_folder.h"
#include "probe/output_capture.h"
#include "probe/run_folder.h"

namespace lapcast {
namespace {

constexpr MonotonicNs kMillisecond = 1'000'000;
constexpr MonotonicNs kSecond = 1'000'000'000;
// The emitter writes every 100 ms. A probe of a few seconds is looked at as often, so that it ends
// when it has enough; a longer one less often: every wake-up takes time from the program.
constexpr MonotonicNs kTick = 100 * kMillisecond;
constexpr MonotonicNs kLateTick = 200 * kMillisecond;
constexpr MonotonicNs kLate = 3 * kSecond;
constexpr MonotonicNs kTellEvery = 500 * kMillisecond;
constexpr std::string_view kHowToReport =
    "report laps with <lapcast/lap.h> (docs/lap-log.md) or `lapcast lap` from a shell script";

MonotonicNs now_ns() {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec * kSecond + time.tv_nsec;
}

MonotonicNs to_ns(Seconds time) { return static_cast<MonotonicNs>(time.count() * 1e9); }

/// One observed run, from start to the last reaped child.
class Supervision {
 public:
  Supervision(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener)
      : request_(request),
        interrupt_(interrupt),
        listener_(listener),
        folder_(request.run_parent, request.context.id),
        laps_(folder_.lap_dir(), request.limits.max_log_bytes),
        foreign_(std::filesystem::current_path(), own_prefixes()),
        rule_(StoppingRule{request.limits.precision}) {
    run_.context = request.context;
    if (request.keep_run_folder) folder_.keep();
  }

  Run observe() {
    Result<CpuQuota> quota = CpuQuota();
    if (request_.context.machine_type.cpu_quota) {
      quota = CpuQuota::create(*request_.context.machine_type.cpu_quota);
      if (!quota) return not_started(quota.error().text);
    }
    run_.started_ns = now_ns();
    Result<ChildProcess> child = ChildProcess::start(launch_spec(*quota));
    if (!child) return not_started(child.error().text);
    child_ = &*child;
    while (!status_) {
      wait_for_something();
      look();
    }
    finish(*quota);
    return std::move(run_);
  }

 private:
  /// What lapcast itself writes meanwhile.
  std::vector<std::string> own_prefixes() const {
    std::vector<std::string> prefixes{folder_.root().string() + "/"};
    if (!request_.store_file.empty())  // and its -wal and -shm
      prefixes.push_back(std::filesystem::absolute(request_.store_file).string());
    return prefixes;
  }

  Run not_started(const std::string& why) {
    run_.outcome = outcome::NotStarted{why};
    run_.started_ns = run_.ended_ns = now_ns();
    return std::move(run_);
  }

  LaunchSpec launch_spec(const CpuQuota& quota) const {
    LaunchSpec spec;
    spec.arguments = filled_program(request_.context);
    for (std::string& argument : spec.arguments) replace_run_dir(argument);
    spec.environment = request_.context.machine_type.environment;
    for (auto& [name, value] : spec.environment) replace_run_dir(value);
    spec.environment["LAPCAST_LOG_DIR"] = folder_.lap_dir().string();
    spec.environment["LAPCAST_RUN_DIR"] = folder_.run_dir().string();
    spec.cpus = request_.context.machine_type.cpus;
    spec.cgroup_procs_fd = quota.procs_fd();
    return spec;
  }

  void replace_run_dir(std::string& text) const {
    constexpr std::string_view kPlaceholder = "{run_dir}";
    for (std::size_t at = 0; (at = text.find(kPlaceholder, at)) != std::string::npos;) {
      text.replace(at, kPlaceholder.size(), folder_.run_dir().string());
      at += folder_.run_dir().string().size();
    }
  }

  void wait_for_something() {
    pollfd fds[] = {{child_->exit_fd(), POLLIN, 0},
                    {output_open_ ? child_->output_fd() : -1, POLLIN, 0},
                    {error_open_ ? child_->error_fd() : -1, POLLIN, 0},
                    {interrupts_seen_ == 0 ? interrupt_.fd() : -1, POLLIN, 0}};
    const MonotonicNs wait = std::max<MonotonicNs>(next_tick_ - now_ns(), 0);
    poll(fds, 4, static_cast<int>(wait / kMillisecond) + 1);
  }

  /// Everything that may have happened since the last look.
  void look() {
    output_open_ = output_open_ && drain(child_->output_fd(), output_);
    error_open_ = error_open_ && drain(child_->error_fd(), error_output_);
    const MonotonicNs now = now_ns();
    if (interrupt_.count() > interrupts_seen_) on_interrupt();
    if (kill_at_ && now >= *kill_at_) {
      child_->signal_group(SIGKILL);
      kill_at_ = now + kSecond;  // again: a process may have joined the group meanwhile
    }
    status_ = child_->reap();
    if (now < next_tick_ || status_) return;
    next_tick_ = now + (now - run_.started_ns < kLate ? kTick : kLateTick);
    if (laps_.poll()) judge(now);
    if (!stopping_) check_limits(now);
    if (now >= next_foreign_look_) {
      foreign_.look(child_->pid());
      next_foreign_look_ = now + 2 * kSecond;
    }
    if (listener_ && now >= next_tell_) {
      listener_(progress(now));
      next_tell_ = now + kTellEvery;
    }
  }

  /// False at the end of the stream. At most 4 MiB a turn, so that a flood starves nothing else.
  static bool drain(int fd, OutputCapture& capture) {
    char buffer[64 * 1024];
    for (int turn = 0; turn < 64; ++turn) {
      const ssize_t got = read(fd, buffer, sizeof buffer);
      if (got == 0) return false;
      if (got < 0) return errno == EAGAIN || errno == EINTR;
      capture.append({buffer, static_cast<std::size_t>(got)});
    }
    return true;
  }

  void on_interrupt() {
    interrupts_seen_ = interrupt_.count();
    interrupted_ = true;
    stop(outcome::Interrupted{});
    if (interrupts_seen_ > 1) kill_at_ = now_ns();
  }

  void stop(Outcome why) {
    if (stopping_) return;
    stopping_ = true;
    run_.outcome = std::move(why);
    run_.stop_sent_ns = now_ns();
    child_->signal_group(SIGTERM);
    child_->signal_group(SIGCONT);
    kill_at_ = *run_.stop_sent_ns + to_ns(request_.limits.grace);
  }

  /// After new laps: are they enough?
  void judge(MonotonicNs now) {
    const LapLog& log = laps_.log();
    if (stopping_) return;
    if (request_.context.patience > 0) {
      const auto stop_now = out_of_patience(log, request_.context.metric, request_.context.patience);
      if (stop_now) stop(outcome::Enough{*stop_now});
    }
    if (request_.limits.to_the_end) return;
    if (!rule_satisfied_) {
      const Verdict verdict = rule_.judge(log.laps);
      state_ = verdict.text;
      rule_satisfied_ = verdict.enough;
      if (verdict.enough) rule_text_ = verdict.text;
    }
    if (rule_satisfied_ && !wait_for_validation(log, now)) stop(outcome::Enough{rule_text_});
  }

  /// Once the laps are enough: a short validation, when the program has one that was not reached,
  /// and can run one on request. Two are asked for: the first shows what a first one costs more.
  bool wait_for_validation(const LapLog& log, MonotonicNs now) {
    const std::int64_t wanted = validation_samples(log);
    const auto done = static_cast<int>(log.validations.size());
    if (wanted == 0 || !log.plan || log.plan->answers_requests == 0 || done >= 2) return false;
    if (done > 0 && validations_asked_ == 0) return false;  // it has reached one by itself
    if (validations_asked_ <= done) {
      const std::int64_t batch = std::max<std::int64_t>(1, log.laps.back().samples);
      laps_.ask_for_validation(std::min(wanted, done == 0 ? 2 * batch : 8 * batch));
      ++validations_asked_;
      validation_deadline_ = now + 3 * kSecond + 4 * (log.laps.back().end_ns - log.laps.back().begin_ns);
      state_ = "enough laps; a short validation";
    }
    return now < validation_deadline_;
  }

  std::int64_t validation_samples(const LapLog& log) const {
    if (request_.context.plan.validation_samples > 0) return request_.context.plan.validation_samples;
    return log.plan ? log.plan->validation_samples : 0;
  }

  void check_limits(MonotonicNs now) {
    const ProbeLimits& limits = request_.limits;
    const auto laps = static_cast<std::int64_t>(laps_.log().laps.size());
    if (laps_.over_limit()) {
      const std::string what = "lap log of " + format_bytes(limits.max_log_bytes);
      laps > 0 ? stop(outcome::BudgetSpent{what}) : stop(outcome::NoLaps{what + " without a lap"});
    }
    if (limits.to_the_end) return;
    if (rule_satisfied_ && now >= validation_deadline_) stop(outcome::Enough{rule_text_});
    if (limits.max_laps > 0 && laps >= limits.max_laps)
      stop(outcome::BudgetSpent{fmt::format("{} laps", limits.max_laps)});
    if (limits.budget.count() > 0 && now - run_.started_ns >= to_ns(limits.budget)) {
      const std::string budget = "time budget of " + format_duration(limits.budget);
      if (laps > 0)
        stop(outcome::BudgetSpent{budget});
      else
        stop(outcome::NoLaps{fmt::format("none within the {}; {}", budget, kHowToReport)});
    }
  }

  ProbeProgress progress(MonotonicNs now) const {
    const LapLog& log = laps_.log();
    const std::int32_t epoch = log.epochs.empty() ? 0 : log.epochs.back().epoch;
    const std::string state = stopping_ ? "stopping" : log.laps.empty() ? "starting" : state_;
    return {from_ns(now - run_.started_ns), static_cast<std::int64_t>(log.laps.size()), epoch, state};
  }

  void finish(CpuQuota& quota) {
    run_.ended_ns = now_ns();
    if (const Result<Throttling> held_back = quota.throttling(); !held_back)
      run_.warnings.push_back(held_back.error().text);
    quota.kill_all();
    const int lingering = child_->kill_lingering();
    drain(child_->output_fd(), output_);
    drain(child_->error_fd(), error_output_);
    laps_.finish();
    run_.usage = child_->usage();
    run_.lap_logs = laps_.texts();
    run_.standard_output = output_.text();
    run_.standard_error = error_output_.text();
    if (!stopping_) run_.outcome = ended_by_itself();
    add_warnings(lingering);
  }

  Outcome ended_by_itself() const {
    const bool any_lap = !laps_.log().laps.empty();
    if (status_->signal != 0 || status_->status != 0)
      return outcome::Crashed{status_->status, status_->signal};
    if (any_lap) return outcome::Ended{};
    return outcome::NoLaps{fmt::format("the program ended without reporting one; {}", kHowToReport)};
  }

  void add_warnings(int lingering) {
    const LapLog& log = laps_.log();
    if (log.damage && log.damage->lines == 0)
      run_.warnings.push_back("lap log: " + log.damage->what);
    else if (log.damage)
      run_.warnings.push_back(fmt::format("{} damaged lines in the lap log, the first at byte {}: {}",
                                          log.damage->lines, log.damage->first_offset,
                                          log.damage->what));
    if (lingering > 0)
      run_.warnings.push_back(
          fmt::format("{} processes outlived the program and were killed", lingering));
    if (!log.epochs.empty() && log.epochs.front().epoch > 1)
      run_.warnings.push_back(fmt::format(
          "the program resumed: its first epoch was number {}", log.epochs.front().epoch));
    else if (says_resumed(run_.standard_output) || says_resumed(run_.standard_error))
      run_.warnings.push_back("the program says that it resumed from a checkpoint");
    const std::vector<std::string> foreign = foreign_.finish();
    if (!foreign.empty())
      run_.warnings.push_back(fmt::format(
          "the program wrote outside its run folder: {}{}; use {{run_dir}} or LAPCAST_RUN_DIR",
          printable(foreign.front()),
          foreign.size() > 1 ? fmt::format(" and {} more", foreign.size() - 1) : ""));
  }

  const ProbeRequest& request_;
  Interrupt& interrupt_;
  const ProbeListener& listener_;
  Run run_;
  RunFolder folder_;
  LapFolder laps_;
  ForeignFiles foreign_;
  StoppingRuleJudge rule_;
  OutputCapture output_;
  OutputCapture error_output_;
  ChildProcess* child_ = nullptr;
  std::optional<ExitStatus> status_;
  bool output_open_ = true;
  bool error_open_ = true;
  bool stopping_ = false;
  bool interrupted_ = false;
  int interrupts_seen_ = 0;
  std::optional<MonotonicNs> kill_at_;
  MonotonicNs next_tick_ = 0;
  MonotonicNs next_foreign_look_ = 0;
  MonotonicNs next_tell_ = 0;
  bool rule_satisfied_ = false;
  std::string rule_text_;
  std::string state_ = "starting";
  int validations_asked_ = 0;
  MonotonicNs validation_deadline_ = 0;
};

}  // namespace

Run supervise(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener) {
  return Supervision(request, interrupt, listener).observe();
}

}  // namespace lapcast
