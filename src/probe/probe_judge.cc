#include "probe/probe_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "core/units.h"
#include "forecast/learning_curve.h"
#include "forecast/stopping_rule.h"

namespace lapcast {
namespace {

/// Returns what a probe without laps is waiting for.
std::string waited_for(const HookSigns& hook) {
  if (hook.compiles) return "compiling";
  return hook.loaded ? hook.text(false) : "starting";
}

/// Returns ", at most 10 min 0 s" for a limit of the start-up.
std::string at_most(Seconds startup) {
  return startup.count() > 0 ? ", at most " + format_duration(startup) : "";
}

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
  /// Judges whether the laps are enough when new ones have come.
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
    return outcome::Enough{counted(wanted, "whole epoch")};
  }

  /// Returns whether the budget counts now.
  bool has_budget(const LapLog& log) const {
    const bool ends_with_epoch = limits_.epochs && !limits_.epochs->within_budget;
    return limits_.budget.count() > 0 && !(ends_with_epoch && !log.epochs.empty());
  }

  /// Returns the outcome of a run that took too long, until its first lap or from then on. A run
  /// that is one lap has no first one to wait for.
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

  /// Lets a program that cannot validate on request continue into its second epoch, to observe what
  /// happens between epochs, if the rest of the first one takes no longer than the run so far.
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
  std::optional<Seconds> first_lap_;  // when it was reported
  std::size_t seen_laps_ = 0;
  std::optional<std::string> satisfied_rule_;  // why the laps are enough
  std::string state_ = "starting";
  int validations_asked_ = 0;
  std::optional<bool> waits_for_epoch_;
  Seconds deadline_{0};  // of a wait although the laps are enough
};

}  // namespace

std::unique_ptr<Judge> probe_judge(const ProbeRequest& request, MonotonicNs started_ns,
                                   NsClock clock) {
  return std::make_unique<ProbeJudge>(request, started_ns, std::move(clock));
}

}  // namespace lapcast
