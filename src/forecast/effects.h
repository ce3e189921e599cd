#pragma once

#include <optional>
#include <vector>

#include "forecast/effect.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "forecast/series.h"

namespace lapcast {

/// All effects that the laps and pauses of a run show. `profile`: of the same log, complete but for
/// its effects.
std::vector<Effect> effects_of(const Series& series, const LapProfile& profile);

/// That starting takes a tenth or more of the run that is forecast.
std::optional<Effect> start_up_effect(const LapProfile& profile, const Forecast& forecast);

// What it is made of: each appends what it finds.
void add_lap_effects(const Series& series, const LapProfile& profile, std::vector<Effect>& effects);
void add_pause_effects(const Series& series, const LapProfile& profile,
                       std::vector<Effect>& effects);

/// An effect of `time` seconds, with its share of what was seen.
Effect effect_of(const LapProfile& profile, EffectKind kind, double time);

}  // namespace lapcast
