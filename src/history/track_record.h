#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "history/assessment.h"
#include "history/past_forecasts.h"
#include "run/run.h"

namespace lapcast {

/// Says how much of a run a forecast is made from: its first laps, or its first epochs. One field
/// is > 0; where both are 0, no past forecast can be made.
struct ObservedPart {
  std::int64_t laps = 0;
  std::int64_t epochs = 0;
};

/// Holds finished runs. Forecasting them again from their beginnings shows how far forecasts of
/// their program are off, and how much its runs differ. A run that compiled does not resemble one
/// that finds its code: a run whose caches grew is forecast again only if those of all finished
/// runs of its program did, at least two. It remembers replayed forecasts, so it is not safe to
/// share between threads.
class TrackRecord {
 public:
  static constexpr std::size_t kMostRuns = 200;

  TrackRecord() = default;
  /// Keeps the last kMostRuns of the runs that ended by themselves after all laps of their own
  /// plan; `runs` are in the order of time.
  explicit TrackRecord(std::span<const Run> runs);

  /// Returns the replayed forecast of every finished run except the one with the id, made from as
  /// much as was observed of that one (8 laps or more are rounded down to a power of 1.25).
  /// Finished runs with less than twice as many laps, or epochs, are left out.
  PastForecasts past_forecasts(const std::string& run_id, const ObservedPart& observed) const;

  /// Returns the tear-down of the finished runs of the same program except the one with the
  /// context's id; nothing where there are none.
  std::optional<Interval<Seconds>> teardown_of(const RunContext& context) const;

 private:
  struct Finished {
    RunContext context;
    std::shared_ptr<const LapLog> log;
    Seconds real{0};
    Seconds teardown{0};
    bool compiled = false;  // a cache of a compiler grew
  };
  struct Replay {
    const Finished* run = nullptr;
    PastForecast past_forecast;
  };

  /// Returns whether the run starts like the next run of its program.
  bool is_like_next(const Finished& finished) const;
  static Result<PastForecast> replayed(const Finished& finished, const ObservedPart& observed);
  const std::vector<Replay>& replays(const ObservedPart& observed) const;

  std::vector<Finished> finished_;
  mutable std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Replay>> replays_;
};

/// Returns the errors of forecasts of finished runs, for a forecast from this profile of a run: of
/// its first `first_epochs` epochs or, with 0, of all its laps. The weight is 0 if the record has
/// no run to compare.
PastErrors recorded_errors(const RunContext& context, const LapProfile& profile,
                           const TrainingPlan& plan, std::int64_t first_epochs,
                           const TrackRecord& record);

/// Returns the assessment of a run with its forecast corrected by the track record; unchanged where
/// it has no forecast or the record has no run of the program. The assessment must be made from the
/// run's first `first_epochs` epochs, or, with 0, from all its laps.
Assessment with_track_record(Assessment assessment, const Run& run, std::int64_t first_epochs,
                             const TrackRecord& record);

}  // namespace lapcast
