#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forecast/lap_profile.h"
#include "forecast/lap_series.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns what one validation of `samples` costs, from the best that the log has: full validations
/// (measured), short ones scaled by samples (simulated), else the forward share of a steady lap
/// (simulated). With samples = 0 the observed validations say how many. Returns nothing when the
/// log has nothing to tell from, or when nothing says that the training validates.
std::optional<ValidationCost> validation_cost(const LapLog& log, std::int64_t samples,
                                              const SteadyLaps& steady);

/// Returns the cost from the forward share alone: samples * steady time per training sample *
/// share; nothing when the laps report no samples.
std::optional<ValidationCost> forward_share_cost(const SteadyLaps& steady, std::int64_t samples);

/// Returns the cost for another number of samples, in proportion.
ValidationCost for_samples(const ValidationCost& cost, std::int64_t samples);

/// Returns what validations of `samples` cost that run in another process or thread while the
/// training goes on; nothing when no full one ran beside laps. Such a validation is no pause: it
/// costs what the laps beside it take longer, and its whole length once, at the end of the
/// training, when no lap is left to run beside it.
std::optional<ValidationCost> overlapped_cost(const Series& series, std::int64_t samples,
                                              const SteadyLaps& steady);

/// Holds the measured cost of validations as the time of a validated sample over that of a trained
/// one, which depends on the machine less than either time.
struct ValidationRatio {
  double first_ratio = 0;
  double later_ratio = 0;
  std::int64_t samples = 0;   // of one validation
  std::int64_t observed = 0;  // validations
  ValidationSchedule schedule;
  std::string where;  // for people: "run 3fb09c61d2aa on small"
};

/// Returns the ratio of a run; nothing unless it had full validations as pauses, and the samples of
/// validations and laps are known.
std::optional<ValidationRatio> validation_ratio(const LapProfile& profile, std::string where);

/// Gives a profile without a validation the cost that another run measured, at the pace of the
/// profile's own laps and with the uncertainty of kPriors.carried_validation; and the other run's
/// schedule when its own is not known. `samples` is of one validation; 0 = as many as the other run
/// has. Nothing changes when the profile has a validation, when its laps report no samples, or when
/// samples is 0 and the run went on beyond the other run's first validation.
void carry_validation(LapProfile& profile, const ValidationRatio& source, std::int64_t samples);

}  // namespace lapcast
