#include "forecast/effects.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr double kShortRun = 0.1;  // share of start-up from which on a run is a short one

}  // namespace

std::string_view to_string(EffectKind kind) {
  switch (kind) {
    case EffectKind::start_up:
      return "start-up";
    case EffectKind::warm_up:
      return "warm-up";
    case EffectKind::slow_epochs:
      return "slow first epochs";
    case EffectKind::stalls:
      return "stalls";
    case EffectKind::drift:
      return "drift";
    case EffectKind::level_change:
      return "work per lap changed";
    case EffectKind::phases:
      return "phases";
    case EffectKind::validation:
      return "validation";
    case EffectKind::first_validation:
      return "first validation";
    case EffectKind::overlapped_validation:
      return "overlapped validation";
    case EffectKind::epoch_overhead:
      return "epoch overhead";
    case EffectKind::checkpoints:
      return "checkpoints";
  }
  return "?";
}

Effect effect_of(const LapProfile& profile, EffectKind kind, double time) {
  Effect effect;
  effect.kind = kind;
  effect.time = Seconds{time};
  effect.share = profile.seen.count() > 0 ? time / profile.seen.count() : 0;
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
