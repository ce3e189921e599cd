#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "forecast/lap_profile.h"
#include "forecast/lap_series.h"
#include "lap/lap_log.h"

namespace lapcast {

/// Returns what a validation of `samples` samples costs, from the best evidence in the log: full
/// validations as pauses (measured), short ones scaled by samples (simulated), else
/// forward_share_cost(). With samples = 0 the number is that of the largest observed validation; if
/// none reports samples, all count with their times, and one before the first lap only if there is
/// no later one. Returns nothing when there is neither a validation nor a number of samples, or
/// when the forward share is needed and the laps report no samples.
std::optional<ValidationCost> validation_cost(const LapLog& log, std::int64_t samples,
                                              const SteadyLaps& steady);

/// Returns the cost by kPriors.forward_share alone (simulated): samples * steady time per training
/// sample * share; nothing when samples is 0 or the laps report none.
std::optional<ValidationCost> forward_share_cost(const SteadyLaps& steady, std::int64_t samples);

/// Returns the cost by kPriors.announced_validation alone (predicted) if an epoch trains for
/// `epoch`.
ValidationCost announced_cost(Seconds epoch);

/// Returns the cost for another number of samples, in proportion; unchanged when one of the two
/// numbers is 0.
ValidationCost for_samples(const ValidationCost& cost, std::int64_t samples);

/// Returns the cost of validations of `samples` samples that run in another process or thread while
/// the training goes on; nothing when no full one ran beside laps. Such a validation costs the
/// extra time of the laps beside it. Only the last one of a training counts with its whole length
/// (ValidationCost::last_alone), because no lap is left to run beside it. samples = 0 is as for
/// validation_cost().
std::optional<ValidationCost> overlapped_cost(const Series& series, std::int64_t samples,
                                              const SteadyLaps& steady);

/// Holds the measured cost of validations as the time of a validated sample over that of a trained
/// one, which depends on the machine less than either time.
struct ValidationRatio {
  double first_ratio = 0;
  double later_ratio = 0;
  std::int64_t samples = 0;   // of one validation
  std::int64_t observed = 0;  // number of validations that were measured
  ValidationSchedule schedule;
  std::string where;  // where it was measured, for messages: "run 3fb09c61d2aa on small"
};

/// Returns the ratio that a run measured; nothing unless it had full validations as pauses, and the
/// samples of validations and laps are known.
std::optional<ValidationRatio> validation_ratio(const LapProfile& profile, std::string where);

/// Gives a profile that observed no validation the cost that another run measured, at the pace of
/// the profile's own laps and with the uncertainty of kPriors.carried_validation. It also gives it
/// the other run's schedule when its own is not known. `samples` is of one validation; 0 = as many
/// as the other run has. Nothing changes when the profile observed a validation, when its laps
/// report no samples, or when samples is 0 and the run had none where the other run's first one
/// came.
void carry_validation(LapProfile& profile, const ValidationRatio& source, std::int64_t samples);

}  // namespace lapcast
