#include "probe/watch_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/units.h"
#include "price/affordable_time.h"

namespace lapcast {
namespace {

constexpr Seconds kLookEvery{0.5};
constexpr double kLookShare = 1.0 / 500;  // of the time at most that looking takes
constexpr double kSoonestShare = 0.02;    // of a limit: no forecast stops a program before it
constexpr int kLooksInARow = 2;

/// Returns the laps per second of the last laps, at most 50.
double lap_rate(const std::vector<Lap>& laps) {
  if (laps.empty()) return 0;
  const std::size_t count = std::min<std::size_t>(laps.size(), 50);
  const Seconds took = from_ns(laps.back().end_ns - laps[laps.size() - count].begin_ns);
  return took.count() > 0 ? static_cast<double>(count) / took.count() : 0;
}

/// Returns when the log begins: one of another machine has another clock, and is taken to begin
/// with the program.
Seconds before_log(const LapLog& log, MonotonicNs started_ns, Seconds elapsed) {
  if (!log.hello || log.hello->clock_ns < started_ns) return Seconds{0};
  const Seconds before = from_ns(log.hello->clock_ns - started_ns);
  return before <= elapsed ? before : Seconds{0};
}

std::string interval_text(const Interval<Seconds>& time) {
  return fmt::format("{} ({} to {})", format_duration(time.mid), format_duration(time.low),
                     format_duration(time.high));
}

}  // namespace

WatchJudge::WatchJudge(const RunContext& context, const WatchLimits& limits, Seconds grace,
                       MonotonicNs started_ns, Clock clock)
    : started_ns_(started_ns), clock_(std::move(clock)), stops_(limits.stop), forecast_(context) {
  if (limits.max_time)
    limits_.push_back(
        {"time limit of " + format_duration(*limits.max_time), *limits.max_time, *limits.max_time});
  if (!limits.max_cost || !context.price) return;
  // The program is to be gone before the money is: another billing step would cost too much.
  const Seconds most = affordable_time(*context.price, *limits.max_cost).value_or(Seconds{0});
  limits_.push_back({fmt::format("cost limit of {} USD", rounded_decimal(*limits.max_cost)), most,
                     most - std::min(grace, most / 10)});
}

std::optional<Outcome> WatchJudge::look(LapFolder& laps, bool, Seconds elapsed) {
  if (elapsed >= next_look_) look_at(laps, elapsed);
  for (Limit& limit : limits_) {
    if (auto outcome = reached(limit, elapsed, laps)) return outcome;
    if (auto outcome = will_be_exceeded(limit, elapsed)) return outcome;
  }
  forecast_is_new_ = false;
  if (laps.over_limit())
    warn_once(warned_log_, "the lap log grew too long: later laps are not looked at");
  return std::nullopt;
}

void WatchJudge::look_at(const LapFolder& laps, Seconds elapsed) {
  const MonotonicNs before = clock_();
  const LapLog& log = laps.log();
  describe_laps(log, seen_);
  laps_per_second_ = lap_rate(log.laps);
  forecast_.update(log, {elapsed, before_log(log, started_ns_, elapsed)});
  forecast_is_new_ = true;
  const Seconds took = from_ns(clock_() - before);
  next_look_ = elapsed + std::max(kLookEvery, took / kLookShare);
}

std::optional<Outcome> WatchJudge::reached(Limit& limit, Seconds elapsed, const LapFolder& laps) {
  if (elapsed < limit.end) return std::nullopt;
  const std::string what = limit.name + " reached";
  if (!stops_) {
    warn_once(limit.warned_reached, what);
    return std::nullopt;
  }
  if (!laps.log().laps.empty()) return outcome::BudgetSpent{what};
  return no_laps("none until the " + limit.name, laps.log());
}

std::optional<Outcome> WatchJudge::will_be_exceeded(Limit& limit, Seconds elapsed) {
  if (!forecast_is_new_) return std::nullopt;
  const auto& total = forecast_.total();
  const bool exceeded = total && forecast_.is_founded() && total->low > limit.most &&
                        elapsed >= limit.most * kSoonestShare;
  limit.exceeded_looks = exceeded ? limit.exceeded_looks + 1 : 0;
  if (limit.exceeded_looks < kLooksInARow) return std::nullopt;
  const std::string what =
      fmt::format("the forecast of {} is above the {}", interval_text(*total), limit.name);
  if (stops_) return outcome::BudgetSpent{what};
  warn_once(limit.warned_forecast, what);
  return std::nullopt;
}

void WatchJudge::warn_once(bool& warned, const std::string& what) {
  if (warned) return;
  warned = true;
  warnings_.push_back(what);
  all_warnings_.push_back(what);
}

void WatchJudge::describe(const LapFolder&, ProbeProgress& progress) const {
  progress.laps = seen_.laps;
  progress.epoch = seen_.epoch;
  progress.planned_epochs = forecast_.planned_epochs();
  progress.laps_per_second = laps_per_second_;
  if (forecast_.total())
    progress.total = *forecast_.total();
  else
    progress.state = forecast_.total().error().text;
}

std::vector<std::string> WatchJudge::take_warnings() {
  return std::exchange(warnings_, {});
}

void WatchJudge::finish(Run& run) const {
  run.forecasts = forecast_.history();
  run.warnings.insert(run.warnings.end(), all_warnings_.begin(), all_warnings_.end());
}

}  // namespace lapcast
