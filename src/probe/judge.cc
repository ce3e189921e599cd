#include "probe/judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <variant>

#include "core/units.h"
#include "forecast/learning_curve.h"
#include "forecast/stopping_rule.h"
#include "history/live_forecast.h"
#include "price/quote.h"

namespace lapcast {
namespace {

constexpr Seconds kLookEvery{0.5};
constexpr double kLookShare = 1.0 / 500;  // of the time at most that forecasts take
constexpr double kSoonestShare = 0.02;    // of a limit: no forecast stops a program before it
constexpr int kLooksInARow = 2;

/// Sets the laps and the epoch of `progress` to those of a log.
void describe_laps(const LapLog& log, ProbeProgress& progress) {
  progress.laps = static_cast<std::int64_t>(log.laps.size());
  progress.epoch = log.epochs.empty() ? 0 : log.epochs.back().epoch;
}

/// Returns how long after the program the log begins. The log of another machine has another clock,
/// and is taken to begin with the program.
Seconds before_log(const LapLog& log, MonotonicNs started_ns, Seconds elapsed) {
  if (!log.hello || log.hello->clock_ns < started_ns) return Seconds{0};
  const Seconds before = from_ns(log.hello->clock_ns - started_ns);
  return before <= elapsed ? before : Seconds{0};
}

/// Forecasts a run while it goes on, as seldom as leaves the time to the program.
class SparingForecast {
 public:
  SparingForecast(const RunContext& context, PastErrorsFor past_errors, MonotonicNs started_ns,
                  NsClock clock)
      : started_ns_(started_ns),
        clock_(std::move(clock)),
        forecast_(context, std::move(past_errors)) {}

  bool is_due(Seconds elapsed) const { return elapsed >= next_look_; }
  void update(const LapLog& log, Seconds elapsed) {
    const MonotonicNs before = clock_();
    forecast_.update(log, {elapsed, before_log(log, started_ns_, elapsed)});
    next_look_ = elapsed + std::max(kLookEvery, from_ns(clock_() - before) / kLookShare);
  }
  const LiveForecast& made() const { return forecast_; }

 private:
  MonotonicNs started_ns_;
  NsClock clock_;
  LiveForecast forecast_;
  Seconds next_look_{0};
};

/// Returns what a probe without laps is waiting for.
std::string waited_for(const HookSigns& hook) {
  if (hook.compiles) return "compiling";
  return hook.loaded ? hook.text(false) : "starting";
}

/// Returns ", at most 10 min 0 s" for a limit of the start-up.
std::string at_most(Seconds startup) {
  return startup.count() > 0 ? ", at most " + format_duration(startup) : "";
}

/// Ends a probe when its laps are enough, after a short validation where the program can run one,
/// else after an epoch that is nearly over, or when its budget is spent. Ends a run that has to
/// find the number of epochs when it is out of patience.
class ProbeJudge : public Judge {
 public:
  ProbeJudge(const ProbeRequest& request, MonotonicNs started_ns, NsClock clock)
      : context_(request.context),
        limits_(request.limits),
        rule_(StoppingRule{limits_.precision,
                           limits_.device_precision.value_or(StoppingRule{}.device_precision)}),
        forecast_(context_, {}, started_ns, std::move(clock)),
        is_whole_(request.lap_source && request.lap_source->whole) {}

  std::optional<Outcome> look(LapFolder& laps, bool any_new, Seconds elapsed) override {
    if (any_new)
      if (auto outcome = judge_laps(laps, elapsed)) return outcome;
    if (any_new && !limits_.to_the_end && forecast_.is_due(elapsed))
      forecast_.update(laps.log(), elapsed);
    return check_limits(laps, elapsed);
  }

  void describe(const LapFolder& laps, ProbeProgress& progress) const override {
    const LapLog& log = laps.log();
    describe_laps(log, progress);
    progress.state =
        progress.laps == 0 ? waited_for(laps.hook()) + at_most(limits_.startup_limit()) : state_;
    if (const auto& total = forecast_.made().total())
      progress.state += "; forecast " + format_duration(total->mid);
    if (!limits_.to_the_end || progress.laps == 0) return;
    progress.state = fmt::format("lap {}", progress.laps);  // "epoch 3 of 20, lap 1207"
    if (progress.epoch == 0) return;
    const std::string planned =
        log.plan && log.plan->epochs > 0 ? fmt::format(" of {}", log.plan->epochs) : "";
    progress.state = fmt::format("epoch {}{}, {}", progress.epoch, planned, progress.state);
  }

 private:
  /// Judges, when new laps have come, whether they are enough.
  std::optional<Outcome> judge_laps(LapFolder& laps, Seconds elapsed) {
    const LapLog& log = laps.log();
    if (context_.patience > 0)
      if (const auto why = out_of_patience(log, context_.metric, context_.patience))
        return outcome::Enough{*why};
    if (limits_.to_the_end) return std::nullopt;
    if (limits_.epochs && !log.epochs.empty()) return judge_epochs(log);
    if (log.laps.size() < seen_laps_) satisfied_rule_.reset();  // the program's own laps came
    seen_laps_ = log.laps.size();
    if (!satisfied_rule_) {
      const Verdict verdict = rule_.judge(log.laps);
      state_ = verdict.text;
      if (verdict.enough) satisfied_rule_ = verdict.text;
    }
    if (!satisfied_rule_ || wait_for_validation(laps, elapsed) || wait_for_epoch(log, elapsed))
      return std::nullopt;
    return outcome::Enough{*satisfied_rule_};
  }

  /// Ends the probe when the epoch after the wanted ones begins: their validations are over then.
  std::optional<Outcome> judge_epochs(const LapLog& log) {
    const auto begun = std::ssize(log.epochs);
    const std::int64_t wanted = limits_.epochs->count;
    state_ =
        fmt::format("epoch {} of {} to measure", std::min<std::int64_t>(begun, wanted), wanted);
    if (begun <= wanted) return std::nullopt;
    return outcome::Enough{fmt::format("{} whole epoch{}", wanted, wanted == 1 ? "" : "s")};
  }

  /// Returns whether the budget counts now.
  bool has_budget(const LapLog& log) const {
    const bool ends_with_epoch = limits_.epochs && !limits_.epochs->within_budget;
    return limits_.budget.count() > 0 && !(ends_with_epoch && !log.epochs.empty());
  }

  /// Returns the outcome of a run that took too long: to its first lap, or from it on. The whole
  /// run as one lap has no first one to wait for.
  std::optional<Outcome> judge_time(const LapFolder& laps, Seconds elapsed) {
    if (!laps.log().laps.empty() && !first_lap_) first_lap_ = elapsed;
    const std::string budget = "time budget of " + format_duration(limits_.budget);
    const bool over_budget =
        has_budget(laps.log()) && elapsed - first_lap_.value_or(Seconds{0}) >= limits_.budget;
    if ((first_lap_ || is_whole_) && over_budget) {
      reached_limit_ = budget;
      if (first_lap_) return outcome::BudgetSpent{budget};
      return no_laps(fmt::format("none within the {}; --budget {:.0f}s gives it more", budget,
                                 std::ceil(4 * limits_.budget.count())),
                     laps, false);
    }
    const Seconds startup = limits_.startup_limit();
    if (first_lap_ || is_whole_ || startup.count() <= 0 || elapsed < startup) return std::nullopt;
    reached_limit_ = "start-up limit of " + format_duration(startup);
    return no_laps(fmt::format("none within the {}; --startup-limit {:.0f}s gives it more",
                               reached_limit_, std::ceil(4 * startup.count())),
                   laps, false);
  }

  /// Asks for a short validation once the laps are enough, if the program has one that was not
  /// reached and can run it on request. Asks for two: the difference is the extra cost of a first
  /// one. Returns whether to wait for them.
  bool wait_for_validation(LapFolder& laps, Seconds elapsed) {
    const LapLog& log = laps.log();
    if (!log.plan || log.plan->answers_requests == 0) return false;
    const std::int64_t wanted = context_.plan.validation_samples > 0
                                    ? context_.plan.validation_samples
                                    : log.plan->validation_samples;
    const auto done = static_cast<int>(log.validations.size());
    const bool reached_by_itself = done > 0 && validations_asked_ == 0;
    if (wanted == 0 || done >= 2 || reached_by_itself) return false;
    if (validations_asked_ <= done) {
      const std::int64_t batch = std::max<std::int64_t>(1, log.laps.back().samples);
      laps.ask_for_validation(std::min(wanted, done == 0 ? 2 * batch : 8 * batch));
      ++validations_asked_;
      deadline_ = elapsed + Seconds{3} + 4 * log.laps.back().seconds();
      state_ = "enough laps; a short validation";
    }
    return elapsed < deadline_;
  }

  /// Lets a program that cannot validate on request go on to its second epoch, so that what comes
  /// between epochs is seen, where the rest of the first one takes no longer than the run so far.
  /// Returns whether to wait for it.
  bool wait_for_epoch(const LapLog& log, Seconds elapsed) {
    if (!log.plan || log.plan->answers_requests != 0 || log.epochs.size() != 1) return false;
    if (!waits_for_epoch_) {
      const std::int64_t left =
          log.plan->iterations_per_epoch - (std::ssize(log.laps) - log.epochs[0].first_lap);
      waits_for_epoch_ =
          left >= 0 && static_cast<double>(left) * log.laps.back().seconds() <= elapsed;
      if (*waits_for_epoch_) deadline_ = 2 * elapsed;
      state_ = "enough laps; the end of the epoch";
    }
    return *waits_for_epoch_ && elapsed < deadline_;
  }

  std::optional<Outcome> check_limits(const LapFolder& laps, Seconds elapsed) {
    const auto count = static_cast<std::int64_t>(laps.log().laps.size());
    const auto spent = [&](const std::string& what, const std::string& without_laps) -> Outcome {
      reached_limit_ = what;
      if (count > 0) return outcome::BudgetSpent{what};
      return no_laps(without_laps, laps, false);
    };
    if (laps.over_limit()) {
      const std::string what = "lap log of " + format_bytes(limits_.max_log_bytes);
      return spent(what, what + " without a lap");
    }
    if (limits_.to_the_end) return std::nullopt;
    if (satisfied_rule_ && elapsed >= deadline_) return outcome::Enough{*satisfied_rule_};
    if (limits_.max_laps > 0 && count >= limits_.max_laps)
      return outcome::BudgetSpent{fmt::format("{} laps", limits_.max_laps)};
    return judge_time(laps, elapsed);
  }

  const RunContext& context_;
  const ProbeLimits& limits_;
  StoppingRuleJudge rule_;
  SparingForecast forecast_;
  bool is_whole_;                     // the whole run is one lap
  std::optional<Seconds> first_lap_;  // when it had been reported
  std::size_t seen_laps_ = 0;
  std::optional<std::string> satisfied_rule_;  // why the laps are enough
  std::string state_ = "starting";
  int validations_asked_ = 0;
  std::optional<bool> waits_for_epoch_;
  Seconds deadline_{0};  // for what is waited for although the laps are enough
};

/// Returns the laps per second of the last laps, at most 50.
double lap_rate(const std::vector<Lap>& laps) {
  if (laps.empty()) return 0;
  const std::size_t count = std::min<std::size_t>(laps.size(), 50);
  const Seconds took = from_ns(laps.back().end_ns - laps[laps.size() - count].begin_ns);
  return took.count() > 0 ? static_cast<double>(count) / took.count() : 0;
}

/// Forecasts a run while it goes on. Ends it, or warns, when a limit is reached, or will be reached
/// by the forecast's lower bound. Without laps only the clock counts.
class WatchJudge : public Judge {
 public:
  WatchJudge(const ProbeRequest& request, MonotonicNs started_ns, NsClock clock)
      : stops_(request.watch->limits.stop),
        forecast_(request.context, request.watch->past_errors, started_ns, std::move(clock)) {
    const auto& [max_time, max_cost, stop] = request.watch->limits;
    const Seconds before = request.watch->ran_before;
    const auto add = [&](const std::string& name, Seconds most, Seconds grace) {
      limits_.push_back({name, most - before, most - grace - before});
    };
    if (max_time) add("time limit of " + format_duration(*max_time), *max_time, Seconds{0});
    if (!max_cost || !request.context.price) return;
    // The program has to end before the money is spent: another billing step would cost too much.
    const Seconds most = affordable_time(*request.context.price, *max_cost).value_or(Seconds{0});
    add(fmt::format("cost limit of {}", dollar_text(*max_cost)), most,
        std::min(request.limits.grace, most / 10));
  }

  std::optional<Outcome> look(LapFolder& laps, bool, Seconds elapsed) override {
    const bool is_new = forecast_.is_due(elapsed);
    if (is_new) forecast(laps.log(), elapsed);
    for (Limit& limit : limits_) {
      if (auto outcome = reached(limit, elapsed, laps)) return outcome;
      if (!is_new) continue;
      if (auto outcome = will_be_exceeded(limit, elapsed)) return outcome;
    }
    if (laps.over_limit())
      warn_once(warned_log_, "the lap log grew too long: later laps are not looked at");
    return std::nullopt;
  }

  void describe(const LapFolder&, ProbeProgress& progress) const override {
    progress.laps = seen_.laps;
    progress.epoch = seen_.epoch;
    progress.laps_per_second = seen_.laps_per_second;
    progress.planned_epochs = forecast_.made().planned_epochs();
    if (forecast_.made().total())
      progress.total = *forecast_.made().total();
    else
      progress.state = forecast_.made().total().error().text;
  }

  std::vector<std::string> take_warnings() override {
    all_warnings_.insert(all_warnings_.end(), warnings_.begin(), warnings_.end());
    return std::exchange(warnings_, {});
  }

  void add_results(Run& run) override {
    run.forecasts = forecast_.made().history();
    run.warnings.insert(run.warnings.end(), all_warnings_.begin(), all_warnings_.end());
  }

 private:
  struct Limit {
    std::string name;        // "time limit of 2 h 00 min"
    Seconds most{0};         // a run that takes longer exceeds it
    Seconds end{0};          // when the program is told to stop
    int exceeded_looks = 0;  // forecasts in a row that were above it
    bool warned_forecast = false;
    bool warned_reached = false;
  };

  void forecast(const LapLog& log, Seconds elapsed) {
    describe_laps(log, seen_);
    seen_.laps_per_second = lap_rate(log.laps);
    forecast_.update(log, elapsed);
  }

  std::optional<Outcome> reached(Limit& limit, Seconds elapsed, const LapFolder& laps) {
    if (elapsed < limit.end) return std::nullopt;
    const std::string what = limit.name + " reached";
    if (!stops_) return warn_once(limit.warned_reached, what);
    reached_limit_ = what;
    if (!laps.log().laps.empty()) return outcome::BudgetSpent{what};
    return no_laps("none until the " + limit.name, laps, false);
  }

  std::optional<Outcome> will_be_exceeded(Limit& limit, Seconds elapsed) {
    const auto& total = forecast_.made().total();
    const bool exceeded = total && forecast_.made().has_enough_laps() && total->low > limit.most &&
                          elapsed >= limit.most * kSoonestShare;
    limit.exceeded_looks = exceeded ? limit.exceeded_looks + 1 : 0;
    if (limit.exceeded_looks < kLooksInARow) return std::nullopt;
    const std::string what =
        fmt::format("the forecast of {} ({} to {}) is above the {}", format_duration(total->mid),
                    format_duration(total->low), format_duration(total->high), limit.name);
    if (stops_) return outcome::BudgetSpent{what};
    return warn_once(limit.warned_forecast, what);
  }

  std::nullopt_t warn_once(bool& warned, const std::string& what) {
    if (!std::exchange(warned, true)) warnings_.push_back(what);
    return std::nullopt;
  }

  bool stops_;
  std::vector<Limit> limits_;
  SparingForecast forecast_;
  ProbeProgress seen_;  // laps and epoch at the last look
  bool warned_log_ = false;
  std::vector<std::string> warnings_;      // not taken yet
  std::vector<std::string> all_warnings_;  // taken
};

}  // namespace

std::unique_ptr<Judge> judge_for(const ProbeRequest& request, MonotonicNs started_ns,
                                 NsClock clock) {
  if (request.watch) return std::make_unique<WatchJudge>(request, started_ns, std::move(clock));
  return std::make_unique<ProbeJudge>(request, started_ns, std::move(clock));
}

Outcome end_of(const ExitStatus& status, const LapFolder& laps) {
  if (status.signal != 0 || status.status != 0)
    return outcome::Crashed{status.status, status.signal};
  if (!laps.log().laps.empty()) return outcome::Ended{};
  return no_laps("the program ended without reporting one", laps, true);
}

Outcome with_laps(const Outcome& wanted, const LapLog& log) {
  if (!log.laps.empty()) return wanted;
  const auto* enough = std::get_if<outcome::Enough>(&wanted);
  return outcome::NoLaps{enough != nullptr ? enough->rule
                                           : std::get<outcome::BudgetSpent>(wanted).which};
}

Outcome no_laps(std::string why, const LapFolder& laps, bool has_ended) {
  constexpr std::string_view kHowToReport =
      "training with PyTorch, Keras, Lightning or Hugging Face in Python is observed by itself; "
      "others report laps with `import lapcast`, <lapcast/lap.h> or `lapcast lap` "
      "(lapcast help lap-log)";
  constexpr std::string_view kWithLibrary =
      "a loop that the hook cannot follow reports its laps with `import lapcast` (lapcast help "
      "python)";
  const HookSigns& hook = laps.hook();
  const std::vector<std::string>& notes = laps.log().notes;
  const std::string how_far = hook.text(has_ended);
  if (!how_far.empty() && (hook.loaded || notes.empty())) why += "; " + how_far;
  for (const std::string& note : notes) why += "; " + note;
  return outcome::NoLaps{
      fmt::format("{}; {}", why, hook.libraries.empty() ? kHowToReport : kWithLibrary)};
}

}  // namespace lapcast
