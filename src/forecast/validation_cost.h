#pragma once

#include <cstdint>
#include <optional>

#include "forecast/lap_profile.h"
#include "forecast/priors.h"
#include "lap/lap_log.h"

namespace lapcast {

/// What one validation of `samples` costs, from the best that the log has: full validations
/// (measured), short ones scaled by samples (simulated), else the forward share of a steady lap
/// (simulated). samples = 0: of what was seen. None when there is nothing to tell from, or when
/// nothing says that the training validates.
std::optional<ValidationCost> validation_cost(const LapLog& log, std::int64_t samples,
                                              const SteadyLaps& steady,
                                              const Priors& priors = Priors{});

/// From the forward share alone: samples * steady time per training sample * share. None when the
/// laps report no samples.
std::optional<ValidationCost> forward_share_cost(const SteadyLaps& steady, std::int64_t samples,
                                                 const Priors& priors = Priors{});

/// The cost for another number of samples, in proportion.
ValidationCost for_samples(const ValidationCost& cost, std::int64_t samples);

}  // namespace lapcast
