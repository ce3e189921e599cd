#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "forecast/live_forecast.h"
#include "probe/clock.h"
#include "probe/judge.h"

namespace lapcast {

/// Forecasts a run while it goes on, and ends it, or warns, when a limit is reached, or will be by
/// the forecast's lower bound. Without laps only the clock counts.
class WatchJudge : public Judge {
 public:
  using Clock = std::function<MonotonicNs()>;
  /// Reads `clock` to bound the time that forecasts take.
  WatchJudge(const RunContext& context, const WatchLimits& limits, Seconds grace,
             MonotonicNs started_ns, Clock clock = monotonic_ns);

  std::optional<Outcome> look(LapFolder& laps, bool any_new, Seconds elapsed) override;
  void describe(const LapFolder& laps, ProbeProgress& progress) const override;
  std::vector<std::string> take_warnings() override;
  void finish(Run& run) const override;

 private:
  struct Limit {
    std::string name;        // "time limit of 2 h 00 min"
    Seconds most{0};         // a run that takes longer exceeds it
    Seconds end{0};          // when the program is told to stop
    int exceeded_looks = 0;  // forecasts in a row that were above it
    bool warned_forecast = false;
    bool warned_reached = false;
  };
  void look_at(const LapFolder& laps, Seconds elapsed);
  std::optional<Outcome> reached(Limit& limit, Seconds elapsed, const LapFolder& laps);
  std::optional<Outcome> will_be_exceeded(Limit& limit, Seconds elapsed);
  void warn_once(bool& warned, const std::string& what);

  MonotonicNs started_ns_;
  Clock clock_;
  bool stops_;
  std::vector<Limit> limits_;
  LiveForecast forecast_;
  bool forecast_is_new_ = false;
  Seconds next_look_{0};
  ProbeProgress seen_;  // laps and epoch at the last look
  double laps_per_second_ = 0;
  bool warned_log_ = false;
  std::vector<std::string> warnings_;      // not taken yet
  std::vector<std::string> all_warnings_;  // for the run
};

}  // namespace lapcast
