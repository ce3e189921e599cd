#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "core/seconds.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "history/past_forecasts.h"
#include "lap/lap_log.h"
#include "price/offer.h"
#include "run/run.h"

namespace lapcast {

/// Says how far a run has come.
struct RunProgress {
  Seconds elapsed{0};     // since the start of the process
  Seconds before_log{0};  // from the start of the process to time 0 of its log
};

/// Returns the time of the whole run from start to end with its 95 % interval: the known time until
/// the last event of `log`, and the rest of `plan` by `profile`, which is that of `log`. The
/// interval narrows as the run goes on; the rest may differ from what was observed by
/// kPriors.spread_between_runs (docs/measuring.md). No bound is below progress.elapsed. Returns the
/// reason when the length of the plan or the cost of a planned validation is not known.
Result<Interval<Seconds>> forecast_under_way(const LapProfile& profile, const TrainingPlan& plan,
                                             const LapLog& log, const RunProgress& progress);

/// Says how long a run under way will go on, and what it costs.
struct RestOfRun {
  std::optional<Interval<Seconds>> left;  // empty = the whole run's time is not known
  std::optional<Money> cost_so_far;       // empty = no price is known
  std::optional<Interval<Money>> cost;    // of the whole run
};
/// Returns the rest of a run after `elapsed`, from the forecast of its whole time and its price.
RestOfRun rest_of_run(Seconds elapsed, const std::optional<Interval<Seconds>>& total,
                      const std::optional<Offer>& price);

/// Returns the errors to expect of a forecast from the profile of all that was observed of a
/// training with that much time left.
using PastErrorsFor =
    std::function<PastErrors(const LapProfile&, const TrainingPlan&, Seconds rest)>;

/// Keeps the forecast of a run under way, which is updated from time to time, and its history. It
/// corrects forecasts by `past_errors`, unless that is empty. The context has to outlive it.
class LiveForecast {
 public:
  explicit LiveForecast(const RunContext& context, PastErrorsFor past_errors = {})
      : context_(context), past_errors_(std::move(past_errors)) {}

  /// Makes a new forecast; `log` has all that was reported until now.
  void update(const LapLog& log, const RunProgress& progress);

  /// Returns the time of the whole run, or the reason when it cannot be forecast.
  const Result<Interval<Seconds>>& total() const { return total_; }
  /// Returns whether there are enough steady laps to act on the forecast: min_laps and min_steady
  /// of the default StoppingRule, and kFewestObservations if any ends of laps are known, whatever
  /// the precision.
  bool has_enough_laps() const { return has_enough_laps_; }
  std::int64_t planned_epochs() const { return planned_epochs_; }  // 0 = not known

  /// Returns the forecasts of earlier moments, each at least 5 % later than the one before: 60 in
  /// the last 95 % of a run, a few hundred in a run of months.
  const std::vector<ForecastMoment>& history() const { return history_; }

 private:
  Result<Interval<Seconds>> forecast(const LapLog& log, const RunProgress& progress);
  void keep(Seconds elapsed);

  const RunContext& context_;
  PastErrorsFor past_errors_;
  Result<Interval<Seconds>> total_ = because("no laps yet");
  bool has_enough_laps_ = false;
  std::int64_t planned_epochs_ = 0;
  std::vector<ForecastMoment> history_;
};

/// Compares the forecast at some share of a run with the real time.
struct Hindsight {
  double share = 0;                        // of the run's time: 0.25
  bool is_first = false;                   // the first forecast of all, at its own share
  std::optional<ForecastMoment> forecast;  // the last one until then; empty = there was none yet
  double error = 0;                        // forecast / real time - 1
  bool inside = false;                     // the forecast's interval contained the real time
};

/// Returns the comparisons of the first forecast, and at 1, 5, 10, 25 and 50 % of a run that took
/// `real`; none when it took no time. The forecasts are in the order of time.
std::vector<Hindsight> hindsight(std::span<const ForecastMoment> forecasts, Seconds real);

}  // namespace lapcast
