#include "probe/watch_judge.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "price/quote.h"

namespace lapcast {
namespace {

constexpr double kSoonestShare = 0.02;  // of a limit: no forecast stops a program before it
constexpr int kLooksInARow = 2;
constexpr Seconds kNever{std::numeric_limits<double>::infinity()};

/// Returns the laps per second of the last laps, at most 50.
double lap_rate(const std::vector<Lap>& laps) {
  if (laps.empty()) return 0;
  const std::size_t count = std::min<std::size_t>(laps.size(), 50);
  const Seconds took = from_ns(laps.back().end_ns - laps[laps.size() - count].begin_ns);
  return took.count() > 0 ? static_cast<double>(count) / took.count() : 0;
}

class WatchJudge : public Judge {
 public:
  WatchJudge(const ProbeRequest& request, MonotonicNs started_ns, NsClock clock)
      : stops_(request.watch->limits.stop),
        forecast_(request.context, request.watch->past_errors, started_ns, std::move(clock)) {
    const auto& [max_time, max_cost, stop, session] = request.watch->limits;
    const Seconds before = request.watch->ran_before;
    const auto add = [&](const std::string& name, Seconds most, Seconds grace) {
      limits_.push_back({.name = name, .most = most - before, .end = most - grace - before});
    };
    if (session)
      limits_.push_back({.name = "session time of " + format_duration(*session),
                         .most = kNever,
                         .end = *session,
                         .of_session = true});
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
    std::string name;         // "time limit of 2 h 00 min"
    Seconds most{0};          // a run that takes longer exceeds it
    Seconds end{0};           // when the program is told to stop
    bool of_session = false;  // then it is, even where limits only warn
    int exceeded_looks = 0;   // forecasts in a row that were above it
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
    if (!stops_ && !limit.of_session) return warn_once(limit.warned_reached, what);
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

std::unique_ptr<Judge> watch_judge(const ProbeRequest& request, MonotonicNs started_ns,
                                   NsClock clock) {
  return std::make_unique<WatchJudge>(request, started_ns, std::move(clock));
}

}  // namespace lapcast
