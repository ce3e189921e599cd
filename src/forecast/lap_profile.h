#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/interval.h"
#include "core/result.h"
#include "core/seconds.h"
#include "forecast/effect.h"
#include "forecast/validation_schedule.h"
#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

/// Says where a figure comes from.
enum class Provenance {
  measured,   // in this run
  simulated,  // from a short run of the same work: a short validation, the forward share of a lap
  predicted,  // carried over from another run or machine, or a documented prior
  declared,   // by the user
};

/// Describes the steady laps of a run: where warm-up ended and what a lap costs after it.
struct SteadyLaps {
  std::int64_t warm_up_laps = 0;  // laps before the steady state, the first lap included
  std::string why;                // in plain words: "2 laps were 35 % slower than the rest"
  std::int64_t laps = 0;          // steady ones
  Interval<Seconds> median;       // of a full-batch lap
  Interval<Seconds> mean;         // of a full-batch lap; the interval counts stalls and allows for
                                  // autocorrelated laps
  double effective_laps = 0;      // laps / variance inflation by autocorrelation
  std::int64_t stalls = 0;        // isolated laps far above the rest, left out of the mean
  double samples_per_lap = 0;     // of a full batch
  Interval<double> samples_per_second;
};

/// Describes the cost of the first validation and of later ones.
struct ValidationCost {
  Interval<Seconds> first;
  Interval<Seconds> later;
  std::optional<Interval<Seconds>> last_alone;  // where validations run beside laps: time of the
                                                // last one, which no lap is left to run beside
  std::int64_t samples = 0;                     // of the full validation that the figures are for
  std::int64_t observed =
      0;  // validations that the figures come from; 0 = the forward share of laps
  Provenance provenance = Provenance::measured;
  std::string why;  // how it was found, in plain words
};

/// Holds the times that make up a run of one program on one machine type, computed from its laps
/// alone.
struct LapProfile {
  Seconds init{0};  // process start to the begin of the first lap, with a validation before it
  StartKind start = StartKind::unknown;
  Seconds first_lap{0};
  Seconds warm_up_excess{0};  // time of the warm-up laps (with the first) beyond steady ones;
                              // negative when they were faster
  SteadyLaps steady;
  std::optional<ValidationCost> validation;  // empty where nothing is known of it
  ValidationSchedule validations;
  std::optional<Interval<Seconds>> epoch_overhead;  // per epoch boundary, with the extra time of
                                                    // the epoch's first lap; empty when no
                                                    // boundary was observed
  std::optional<Interval<Seconds>> checkpoint;      // per save
  double checkpoints_per_epoch = 0;
  Interval<Seconds> teardown;  // last lap to the end of the process, without validation and
                               // checkpoints
  Provenance teardown_provenance = Provenance::measured;
  ReportedPlan reported;               // as the program announced it
  std::int64_t laps_per_epoch = 0;     // of the first whole epoch observed; 0 = none
  std::int64_t samples_per_epoch = 0;  // likewise
  std::vector<Seconds> laps;           // cost of all laps of the run in order (lap_costs())
  std::vector<Seconds> epochs;         // whole epochs, with validation and boundary
  Seconds real_total{0};               // start to end of a run that ended by itself; else 0
  Seconds observed{0};                 // start of the process to the last event of its log, or to
                                       // its end
  std::vector<Effect> effects;         // found in the observed part
  std::vector<std::string> notes;      // say in plain words what the laps mean
};

/// Holds what a lap log does not say about its run.
struct RunFacts {
  StartKind start = StartKind::unknown;
  bool ended_by_itself = false;
  Seconds before_log{0};   // start of the process to time 0 of the log
  Seconds wall{0};         // process start to end
  Seconds stop_to_end{0};  // of a stopped run: from the request to stop to the end of the process,
                           // which is the part of the tear-down that the system does
  std::int64_t validation_samples = 0;  // of one validation, as requested; 0 = not given
};

/// Returns the profile of a log whose times count from facts.before_log after the start of the
/// process, or the reason when it has no lap.
Result<LapProfile> profile_of(const LapLog& log, const RunFacts& facts);

/// Returns the profile of a run, or the reason when it failed or has no lap. With first_epochs > 0
/// only the log until the end of that many epochs counts, as of a probe that was stopped then.
Result<LapProfile> profile_of(const Run& run, std::int64_t first_epochs = 0);

}  // namespace lapcast
