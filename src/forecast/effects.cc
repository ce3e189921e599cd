#include "forecast/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kShortRun = 0.1;  // share of start-up from which on a run is a short one

constexpr EffectFacts kEffectFacts[] = {
    {EffectKind::start_up, "start-up", PartKind::init, ""},
    {EffectKind::warm_up, "warm-up", PartKind::warm_up, "counted once; not part of a steady lap"},
    {EffectKind::slow_epochs, "slow first epochs", PartKind::warm_up,
     "counted once; later epochs are taken to be like the last ones seen"},
    {EffectKind::stalls, "stalls", PartKind::laps, "left out of the mean, kept in its interval"},
    {EffectKind::drift, "drift", PartKind::laps,
     "the interval reaches to the level at the end; it may not end there"},
    {EffectKind::level_change, "work per lap changed", PartKind::laps,
     "holds only while the laps stay as they are now"},
    {EffectKind::phases, "phases", PartKind::laps,
     "holds only while this phase lasts: the rest is taken to be like it"},
    {EffectKind::validation, "validation", PartKind::validation, ""},
    {EffectKind::first_validation, "first validation", PartKind::validation, "counted once"},
    {EffectKind::overlapped_validation, "overlapped validation", PartKind::validation, ""},
    {EffectKind::epoch_overhead, "epoch overhead", PartKind::epoch_overhead,
     "counted for every epoch but the last"},
    {EffectKind::checkpoints, "checkpoints", PartKind::checkpoints, ""}};

}  // namespace

const EffectFacts& facts_of(EffectKind kind) {
  const auto found = std::find_if(std::begin(kEffectFacts), std::end(kEffectFacts),
                                  [&](const EffectFacts& facts) { return facts.kind == kind; });
  return *found;
}

Effect effect_of(const LapProfile& profile, EffectKind kind, double time) {
  Effect effect;
  effect.kind = kind;
  effect.forecast = facts_of(kind).forecast;
  effect.time = Seconds{time};
  effect.share = profile.observed.count() > 0 ? time / profile.observed.count() : 0;
  return effect;
}

std::vector<Effect> effects_of(const Series& series, const LapProfile& profile) {
  std::vector<Effect> effects;
  add_lap_effects(series, profile, effects);
  add_pause_effects(series, profile, effects);
  return effects;
}

std::optional<Effect> start_up_effect(const LapProfile& profile, const Forecast& forecast) {
  const double share = profile.init / std::max(forecast.total.mid, Seconds{1e-12});
  if (share < kShortRun) return std::nullopt;
  Effect effect = effect_of(profile, EffectKind::start_up, profile.init.count());
  const double laps = profile.init / std::max(profile.steady.mean.mid, Seconds{1e-12});
  effect.what = fmt::format("the process started {} before its first lap, as long as {:.0f} laps",
                            format_duration(profile.init), laps);
  effect.forecast = fmt::format(
      "{} of the run that is forecast: most of what is not known of it is how the next one starts",
      format_share(share));
  return effect;
}

}  // namespace lapcast
