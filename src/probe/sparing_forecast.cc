#include "probe/sparing_forecast.h"

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

constexpr Seconds kLookEvery{0.5};
constexpr double kLookShare = 1.0 / 500;  // of the time at most that forecasts take

/// Returns how long after the program's start the log begins. The log of another machine has
/// another clock, and is assumed to begin with the program.
Seconds before_log(const LapLog& log, MonotonicNs started_ns, Seconds elapsed) {
  if (!log.hello || log.hello->clock_ns < started_ns) return Seconds{0};
  const Seconds before = from_ns(log.hello->clock_ns - started_ns);
  return before <= elapsed ? before : Seconds{0};
}

}  // namespace

SparingForecast::SparingForecast(const RunContext& context, PastErrorsFor past_errors,
                                 MonotonicNs started_ns, NsClock clock)
    : started_ns_(started_ns),
      clock_(std::move(clock)),
      forecast_(context, std::move(past_errors)) {}

void SparingForecast::update(const LapLog& log, Seconds elapsed) {
  const MonotonicNs before = clock_();
  forecast_.update(log, {elapsed, before_log(log, started_ns_, elapsed)});
  next_look_ = elapsed + std::max(kLookEvery, from_ns(clock_() - before) / kLookShare);
}

}  // namespace lapcast
