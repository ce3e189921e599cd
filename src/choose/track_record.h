#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "choose/assessment.h"
#include "forecast/past_forecasts.h"
#include "run/run.h"

namespace lapcast {

/// How much of a run a forecast is made from; one of them is > 0.
struct ObservedPart {
  std::int64_t laps = 0;
  std::int64_t epochs = 0;
};

/// Runs that went to their end. Forecast again from their beginnings they show how far the
/// forecasts of their program are off, and how much its runs differ.
class TrackRecord {
 public:
  /// No more runs than that are kept, the newest.
  static constexpr std::size_t kMostRuns = 200;

  TrackRecord() = default;
  /// Of `runs` those that ended by themselves after all laps of their own plan; runs without an end
  /// are passed over.
  explicit TrackRecord(std::span<const Run> runs);

  bool empty() const { return finished_.empty(); }

  /// Every finished run but `run` itself, forecast from as much as was seen of that one. Runs that
  /// are not twice as long as that tell nothing.
  PastForecasts past_forecasts(const Run& run, const ObservedPart& seen) const;

 private:
  struct Finished {
    std::string id;
    ComparedTraining situation;  // its texts
    LapLog log;
    RunFacts facts;
    RequestedPlan plan;
    Seconds real{0};
  };
  struct Replay {
    const Finished* run = nullptr;
    PastForecast past_forecast;
  };

  static Result<PastForecast> replayed(const Finished& finished, const ObservedPart& seen);
  const std::vector<Replay>& replays(const ObservedPart& seen) const;

  std::vector<Finished> finished_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Replay>> replays_;
};

/// How much of a run an assessment rests on: its first epochs, or with 0 all its laps.
ObservedPart seen_of(const Assessment& assessment, std::int64_t first_epochs = 0);

/// What the record says of a forecast of the run, from as much of it as was seen; nothing without
/// precedents.
PastErrors outlook_of(const Run& run, const Assessment& assessment, const ObservedPart& seen,
                      const TrackRecord& record);

/// The assessment with its forecast as the outlook has it; unchanged without one.
Assessment with_track_record(Assessment assessment, const Run& run, const ObservedPart& seen,
                             const TrackRecord& record);

}  // namespace lapcast
