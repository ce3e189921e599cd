#include "probe/probe_judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/units.h"
#include "forecast/early_stopping.h"

namespace lapcast {
namespace {

/// Returns "epoch 3 of 20, lap 1207".
std::string how_far(const LapLog& log, const ProbeProgress& progress) {
  std::string text;
  if (progress.epoch > 0) text = fmt::format("epoch {}", progress.epoch);
  if (progress.epoch > 0 && log.plan && log.plan->epochs > 0)
    text += fmt::format(" of {}", log.plan->epochs);
  return fmt::format("{}{}lap {}", text, text.empty() ? "" : ", ", progress.laps);
}

}  // namespace

std::optional<Outcome> ProbeJudge::look(LapFolder& laps, bool any_new, Seconds elapsed) {
  if (any_new)
    if (auto outcome = judge_laps(laps, elapsed)) return outcome;
  return check_limits(laps, elapsed);
}

void ProbeJudge::describe(const LapFolder& laps, ProbeProgress& progress) const {
  describe_laps(laps.log(), progress);
  progress.state = progress.laps == 0   ? "starting"
                   : limits_.to_the_end ? how_far(laps.log(), progress)
                                        : state_;
}

/// Judges, when new laps have come, whether they are enough.
std::optional<Outcome> ProbeJudge::judge_laps(LapFolder& laps, Seconds elapsed) {
  const LapLog& log = laps.log();
  if (context_.patience > 0)
    if (const auto why = out_of_patience(log, context_.metric, context_.patience))
      return outcome::Enough{*why};
  if (limits_.to_the_end) return std::nullopt;
  if (!rule_satisfied_) {
    const Verdict verdict = rule_.judge(log.laps);
    state_ = verdict.text;
    rule_satisfied_ = verdict.enough;
    if (verdict.enough) rule_text_ = verdict.text;
  }
  if (!rule_satisfied_ || wait_for_validation(laps, elapsed)) return std::nullopt;
  return outcome::Enough{rule_text_};
}

/// Asks for a short validation once the laps are enough, where the program has one that was not
/// reached and can run it on request. Asks for two: the difference is the extra cost of a first
/// one. Returns whether to wait for them.
bool ProbeJudge::wait_for_validation(LapFolder& laps, Seconds elapsed) {
  const LapLog& log = laps.log();
  const std::int64_t wanted = validation_samples(log);
  const auto done = static_cast<int>(log.validations.size());
  if (wanted == 0 || !log.plan || log.plan->answers_requests == 0 || done >= 2) return false;
  if (done > 0 && validations_asked_ == 0) return false;  // it has reached one by itself
  if (validations_asked_ <= done) {
    const std::int64_t batch = std::max<std::int64_t>(1, log.laps.back().samples);
    laps.ask_for_validation(std::min(wanted, done == 0 ? 2 * batch : 8 * batch));
    ++validations_asked_;
    validation_deadline_ = elapsed + Seconds{3} + 4 * log.laps.back().seconds();
    state_ = "enough laps; a short validation";
  }
  return elapsed < validation_deadline_;
}

std::int64_t ProbeJudge::validation_samples(const LapLog& log) const {
  if (context_.plan.validation_samples > 0) return context_.plan.validation_samples;
  return log.plan ? log.plan->validation_samples : 0;
}

std::optional<Outcome> ProbeJudge::check_limits(const LapFolder& laps, Seconds elapsed) const {
  const auto count = static_cast<std::int64_t>(laps.log().laps.size());
  const auto spent = [&](const std::string& what, const std::string& without_laps) -> Outcome {
    if (count > 0) return outcome::BudgetSpent{what};
    return no_laps(without_laps, laps.log());
  };
  if (laps.over_limit()) {
    const std::string what = "lap log of " + format_bytes(limits_.max_log_bytes);
    return spent(what, what + " without a lap");
  }
  if (limits_.to_the_end) return std::nullopt;
  if (rule_satisfied_ && elapsed >= validation_deadline_) return outcome::Enough{rule_text_};
  if (limits_.max_laps > 0 && count >= limits_.max_laps)
    return outcome::BudgetSpent{fmt::format("{} laps", limits_.max_laps)};
  if (limits_.budget.count() > 0 && elapsed >= limits_.budget) {
    const std::string budget = "time budget of " + format_duration(limits_.budget);
    return spent(budget, "none within the " + budget);
  }
  return std::nullopt;
}

}  // namespace lapcast
