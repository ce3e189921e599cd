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

/// Where a figure comes from.
enum class Provenance {
  measured,   // seen in this run
  simulated,  // from a short run of the same work: a short validation, the forward share of a lap
  predicted,  // carried over from another run or machine, or a documented prior
  declared,   // said by the user
};

/// The steady laps of a run: where warm-up ended and what a lap costs from there on.
struct SteadyLaps {
  std::int64_t warm_up_laps = 0;  // laps before the steady state, the first lap included
  std::string why;                // in plain words: "2 laps were 35 % slower than the rest"
  std::int64_t laps = 0;          // steady ones
  Interval<Seconds> median;       // of a full-batch lap
  Interval<Seconds> mean;         // of a full-batch lap, stalls counted in the interval; the
                                  // interval stands up to autocorrelated laps
  double effective_laps = 0;      // laps / variance inflation by autocorrelation
  std::int64_t stalls = 0;        // isolated laps far above the rest, left out of the mean
  double samples_per_lap = 0;     // of a full batch
  Interval<double> samples_per_second;
};

/// What one validation costs: the first one and those after it.
struct ValidationCost {
  Interval<Seconds> first;
  Interval<Seconds> later;
  std::optional<Interval<Seconds>> last_alone;  // where validations run beside laps, what the last
                                                // one takes, beside which none is left
  std::int64_t samples = 0;                     // of one full validation, that the figures are for
  std::int64_t seen = 0;  // validations that the figures are from; 0 = the forward share of laps
  Provenance provenance = Provenance::measured;
  std::string why;  // in plain words, how it was found
};

/// The times that make up a run of one program on one machine type: what the laps say, before any
/// question is asked. Pure function of a Run.
struct LapProfile {
  Seconds init{0};  // process start to begin of the first iteration, a validation before
                    // it included
  StartKind start = StartKind::unknown;
  Seconds first_lap{0};
  Seconds warm_up_excess{0};  // what the warm-up laps (the first included) took beyond steady ones;
                              // negative when they were faster
  SteadyLaps steady;
  std::optional<ValidationCost> validation;  // nothing is known: absent, never 0
  ValidationSchedule validations;
  std::optional<Interval<Seconds>> epoch_overhead;  // per epoch boundary, with what the epoch's
                                                    // first lap takes longer; absent when no
                                                    // boundary was seen
  std::optional<Interval<Seconds>> checkpoint;      // per save
  double checkpoints_per_epoch = 0;
  Interval<Seconds> teardown;  // last lap to the end of the process, validation and checkpoints
                               // apart
  Provenance teardown_provenance = Provenance::measured;
  ReportedPlan reported;               // what the program said it would do
  std::int64_t laps_per_epoch = 0;     // of the first whole epoch seen; 0 = none seen
  std::int64_t samples_per_epoch = 0;  // likewise
  std::vector<Seconds> laps;           // cost of all laps of the run in order (lap_costs())
  std::vector<Seconds> epochs;         // whole epochs seen, validation and boundary included [M]
  Seconds real_total{0};               // of a run that ended by itself: start to end; else 0
  Seconds seen{0};                     // start of the process to the last event of its log, or to
                                       // its end
  std::vector<Effect> effects;         // found in what was seen
  std::vector<std::string> notes;      // what laps mean, in plain words
};

/// What a lap log does not say about its run.
struct RunFacts {
  StartKind start = StartKind::unknown;
  bool ended_by_itself = false;
  Seconds before_log{0};   // start of the process to time 0 of the log
  Seconds wall{0};         // process start to end
  Seconds stop_to_end{0};  // of a stopped run: from the request to the end of the process, the
                           // part of the tear-down that the system does
  std::int64_t validation_samples = 0;  // of one validation, as requested; 0 = not said
};

/// Of a log whose times count from facts.before_log after the start of the process. Reason when it
/// has no lap.
Result<LapProfile> profile_of(const LapLog& log, const RunFacts& facts);

/// Reason when the run failed or has no lap to say anything from. With first_epochs > 0 only what
/// was seen until that many epochs were over counts, as of a probe that was stopped there.
Result<LapProfile> profile_of(const Run& run, std::int64_t first_epochs = 0);

}  // namespace lapcast
