#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "forecast/effects.h"
#include "forecast/validation_schedule.h"

namespace lapcast {
namespace {

constexpr double kPauseWorthNaming = 0.005;  // of the time seen
constexpr double kOtherFirst = 0.1;  // by which the first validation differs from later ones
constexpr std::int64_t kLeastLaterValidations =
    2;  // validations after the first, to compare it with

std::string how_often(const LapProfile& profile) {
  const ValidationSchedule& schedule = profile.validations;
  if (schedule.is_quiet()) return "none of the epochs seen had one: how many come is not known";
  if (!schedule.observed) return "one is taken to come after every epoch";
  return "more are taken to come " + describe(schedule) +
         (schedule.closest > 0 ? "; only one was seen, so that this may be wrong" : "");
}

void add_validation(const Series& series, const LapProfile& profile, std::vector<Effect>& effects) {
  double time = 0;
  std::int64_t count = 0;
  for (const ValidationSpan& validation : validations_after_first_lap(series.log)) {
    if (!laps_beside(series.log, validation).empty()) continue;
    time += validation.span.seconds().count();
    ++count;
  }
  if (count == 0) return;
  Effect effect = effect_of(profile, EffectKind::validation, time);
  effect.what = fmt::format("{} validation{}, {} each", count, count == 1 ? "" : "s",
                            format_duration(Seconds{time / static_cast<double>(count)}));
  effect.forecast = how_often(profile);
  effects.push_back(std::move(effect));
}

void add_first_validation(const LapProfile& profile, std::vector<Effect>& effects) {
  const auto& cost = profile.validation;
  if (!cost || cost->last_alone || cost->provenance != Provenance::measured) return;
  if (cost->observed <= kLeastLaterValidations || cost->later.contains(cost->first.mid)) return;
  const double more = (cost->first.mid - cost->later.mid).count();
  if (std::abs(more) < kOtherFirst * cost->later.mid.count()) return;
  Effect effect = effect_of(profile, EffectKind::first_validation, more);
  effect.what = fmt::format("the first validation took {}, later ones {}",
                            format_duration(cost->first.mid), format_duration(cost->later.mid));
  effects.push_back(std::move(effect));
}

void add_overlapped(const LapProfile& profile, std::vector<Effect>& effects) {
  const auto& cost = profile.validation;
  if (!cost || !cost->last_alone) return;
  const double slowdown = cost->later.mid.count() * static_cast<double>(cost->observed);
  Effect effect = effect_of(profile, EffectKind::overlapped_validation, slowdown);
  effect.what =
      fmt::format("{} validation{} ran beside laps, which took {} longer each time", cost->observed,
                  cost->observed == 1 ? "" : "s", format_duration(cost->later.mid));
  effect.forecast = fmt::format("no pause; only the last one is waited for, {}",
                                format_duration(cost->last_alone->mid));
  effects.push_back(std::move(effect));
}

void add_epoch_overhead(const Series& series, const LapProfile& profile,
                        std::vector<Effect>& effects) {
  if (!profile.epoch_overhead || profile.epoch_overhead->low.count() <= 0) return;
  const double boundaries = std::max(0.0, static_cast<double>(series.log.epochs.size()) - 1);
  Effect effect = effect_of(profile, EffectKind::epoch_overhead,
                            profile.epoch_overhead->mid.count() * boundaries);
  if (effect.share < kPauseWorthNaming) return;
  effect.what = fmt::format(
      "from one epoch to the next {} {}", format_duration(profile.epoch_overhead->mid),
      series.full.without_first_of_epoch ? "go by, with what the first lap takes longer" : "go by");
  effects.push_back(std::move(effect));
}

void add_checkpoints(const Series& series, const LapProfile& profile,
                     std::vector<Effect>& effects) {
  double time = 0;
  std::int64_t count = 0;
  for (const StageSpan& stage : series.log.stages) {
    if (stage.name != "checkpoint") continue;
    time += stage.span.seconds().count();
    ++count;
  }
  if (count == 0) return;
  Effect effect = effect_of(profile, EffectKind::checkpoints, time);
  effect.what = fmt::format("{} save{}, {} each", count, count == 1 ? "" : "s",
                            format_duration(Seconds{time / static_cast<double>(count)}));
  effect.forecast = fmt::format("{:.3g} for every epoch", profile.checkpoints_per_epoch);
  effects.push_back(std::move(effect));
}

}  // namespace

void add_pause_effects(const Series& series, const LapProfile& profile,
                       std::vector<Effect>& effects) {
  add_validation(series, profile, effects);
  add_first_validation(profile, effects);
  add_overlapped(profile, effects);
  add_epoch_overhead(series, profile, effects);
  add_checkpoints(series, profile, effects);
}

}  // namespace lapcast
