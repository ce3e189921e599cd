#pragma once

#include <optional>
#include <vector>

#include "forecast/effect.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_series.h"

namespace lapcast {

/// Returns all effects that the laps and pauses of a run show. The profile is of the same log and
/// complete but for its effects.
std::vector<Effect> effects_of(const Series& series, const LapProfile& profile);

/// Returns the effect that starting takes a tenth or more of the forecast run.
std::optional<Effect> start_up_effect(const LapProfile& profile, const Forecast& forecast);

// Each of the two appends what it finds.
void add_lap_effects(const Series& series, const LapProfile& profile, std::vector<Effect>& effects);
void add_pause_effects(const Series& series, const LapProfile& profile,
                       std::vector<Effect>& effects);

/// Returns an effect of `time` seconds with its share of the observed time and its table's
/// sentence.
Effect effect_of(const LapProfile& profile, EffectKind kind, double time);

}  // namespace lapcast
