#pragma once

#include <functional>

#include "core/seconds.h"
#include "history/live_forecast.h"
#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

using NsClock = std::function<MonotonicNs()>;

/// Forecasts a run under way, so seldom that it takes at most 1/500 of the time.
class SparingForecast {
 public:
  /// Takes the start of the program, and the clock by which forecasts limit their time. The context
  /// must outlive this object.
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
