#pragma once

#include <cstdint>
#include <vector>

#include "core/interval.h"
#include "core/result.h"
#include "forecast/lap_profile.h"
#include "forecast/run_under_way.h"
#include "run/run.h"

namespace lapcast {

/// The forecast of a run under way, made anew from time to time, and how it moved.
class LiveForecast {
 public:
  explicit LiveForecast(const RunContext& context) : context_(context) {}

  /// A new forecast. `log`: all that was reported until now.
  void update(const LapLog& log, const Standing& standing);

  /// The whole run's time; the reason when it cannot be forecast.
  const Result<Interval<Seconds>>& total() const { return total_; }
  /// Enough steady laps to act on: 10 over at least half a second, as for the end of a probe.
  bool is_founded() const { return founded_; }
  std::int64_t planned_epochs() const { return planned_epochs_; }  // 0 = not known

  /// Forecasts of former moments, each at least 5 % later than the one before: 60 in the last
  /// nineteen twentieths of a run, a few hundred in one of months.
  const std::vector<ForecastMoment>& history() const { return history_; }

 private:
  Result<Interval<Seconds>> forecast(const LapLog& log, const Standing& standing);
  void keep(Seconds elapsed);

  const RunContext& context_;
  Result<Interval<Seconds>> total_ = because("no laps yet");
  bool founded_ = false;
  std::int64_t planned_epochs_ = 0;
  std::vector<ForecastMoment> history_;
};

}  // namespace lapcast
