#pragma once

#include <optional>
#include <vector>

#include "forecast/effect.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_series.h"

namespace lapcast {

/// Returns all effects that the laps and pauses of a run show. `profile` is that of the same log;
/// its own effects are not read.
std::vector<Effect> effects_of(const Series& series, const LapProfile& profile);

/// Returns the effect of kind start_up when init is a tenth or more of the forecast run; else
/// nothing.
std::optional<Effect> start_up_effect(const LapProfile& profile, const Forecast& forecast);

}  // namespace lapcast
