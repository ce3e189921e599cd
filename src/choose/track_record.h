#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "choose/assessment.h"
#include "forecast/past_forecasts.h"
#include "run/run.h"

namespace lapcast {

/// Says how much of a run a forecast is made from; exactly one field is > 0.
struct ObservedPart {
  std::int64_t laps = 0;
  std::int64_t epochs = 0;
};

/// Holds runs that finished. Forecasting them again from their beginnings shows how far forecasts
/// of their program are off, and how much its runs differ.
class TrackRecord {
 public:
  /// The newest runs are kept, at most this many.
  static constexpr std::size_t kMostRuns = 200;

  TrackRecord() = default;
  /// Keeps the runs that ended by themselves after all laps of their own plan.
  explicit TrackRecord(std::span<const Run> runs);

  /// Returns the forecast of every finished run but `run` itself, made from as much as was observed
  /// of `run`. Runs that are less than twice as long are left out.
  PastForecasts past_forecasts(const Run& run, const ObservedPart& observed) const;

 private:
  struct Finished {
    RunContext context;
    LapLog log;
    Seconds real{0};
  };
  struct Replay {
    const Finished* run = nullptr;
    PastForecast past_forecast;
  };

  static Result<PastForecast> replayed(const Finished& finished, const ObservedPart& observed);
  const std::vector<Replay>& replays(const ObservedPart& observed) const;

  std::vector<Finished> finished_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Replay>> replays_;
};

/// Returns the assessment of a run with its forecast corrected by the track record; unchanged where
/// the record has no run of the program. The assessment was made from the run's first epochs, or
/// with `first_epochs` 0 from all its laps.
Assessment with_track_record(Assessment assessment, const Run& run, std::int64_t first_epochs,
                             const TrackRecord& record);

}  // namespace lapcast
