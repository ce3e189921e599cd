#pragma once

#include <functional>

#include "core/seconds.h"
#include "history/live_forecast.h"
#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

using NsClock = std::function<MonotonicNs()>;

/// Forecasts a run while it goes on, as seldom as leaves the time to the program.
class SparingForecast {
 public:
  /// For a program that was started at started_ns; reads `clock` to limit the time that forecasts
  /// take. The context has to outlive this.
  SparingForecast(const RunContext& context, PastErrorsFor past_errors, MonotonicNs started_ns,
                  NsClock clock);

  bool is_due(Seconds elapsed) const { return elapsed >= next_look_; }
  void update(const LapLog& log, Seconds elapsed);
  const LiveForecast& made() const { return forecast_; }

 private:
  MonotonicNs started_ns_;
  NsClock clock_;
  LiveForecast forecast_;
  Seconds next_look_{0};
};

}  // namespace lapcast
