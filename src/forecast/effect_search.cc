#include "forecast/effect_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "forecast/lap_series.h"
#include "forecast/validation_schedule.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kShortRun = 0.1;         // share of start-up that makes a run a short one
constexpr double kWorthNaming = 0.005;    // of the observed time
constexpr double kClearWarmUp = 6;        // deviations of as many steady laps
constexpr std::size_t kLastingLaps = 20;  // a level of fewer laps is warm-up, not other work
constexpr double kOtherWork = 0.05;       // by which levels differ when the work does
constexpr double kOtherFirst = 0.1;       // by which the first validation differs from later ones
constexpr std::int64_t kLeastLaterValidations = 2;  // to compare the first one with

// An epoch is slow when its median lap exceeds that of later ones by this share, and lies above the
// one-sided prediction limit of the later ones with this probability.
constexpr double kLeastSlow = 0.03;
constexpr double kSure = 0.99;
constexpr std::size_t kLeastLater = 2;
constexpr std::size_t kEnoughLaps = 256;  // of an epoch, for its median

double share_of_observed(const LapProfile& profile, double time) {
  return profile.observed.count() > 0 ? time / profile.observed.count() : 0;
}

/// Returns an effect of `time` seconds; an empty `forecast` stands for facts_of(kind).forecast.
Effect effect_of(const LapProfile& profile, EffectKind kind, double time, std::string what,
                 std::string forecast = "") {
  if (forecast.empty()) forecast = facts_of(kind).forecast;
  return {kind, std::move(what), Seconds{time}, share_of_observed(profile, time),
          std::move(forecast)};
}

/// Returns the deviation of laps; that of fewer than five may be 0 by chance, so it has a minimum.
double deviation_of(std::span<const double> laps) {
  return std::max(robust_deviation(thinned(laps)), laps.size() < 5 ? 0.1 * mean(laps) : 0);
}

double cost_of_first(const Series& series, std::size_t laps) {
  return std::accumulate(series.costs.begin(),
                         series.costs.begin() + static_cast<std::ptrdiff_t>(laps), 0.0);
}

/// Compares the first lap with the next ones of the same work; a later change counts separately.
std::optional<Effect> slow_first_lap(const Series& series, const LapProfile& profile) {
  const std::vector<Lap>& laps = series.log.laps;
  const auto same = std::ranges::find_if(
      laps, [&laps](const Lap& lap) { return lap.phase != laps.front().phase; });
  const auto end = std::min(
      {static_cast<std::size_t>(same - laps.begin()), std::size_t{50}, series.first_steady_lap()});
  if (end < 2) return std::nullopt;
  const auto rest = std::span(series.costs).first(end).subspan(1);
  const double excess = series.costs[0] - median(rest);
  if (excess <= kClearWarmUp * deviation_of(rest)) return std::nullopt;
  if (share_of_observed(profile, excess) < kWorthNaming) return std::nullopt;
  return effect_of(profile, EffectKind::warm_up, excess,
                   "the first lap was " + compare_with_rest(series.costs[0], median(rest)));
}

std::optional<Effect> warm_up_effect(const Series& series, const LapProfile& profile) {
  const double excess = profile.warm_up_excess.count();
  const double laps = static_cast<double>(series.first_steady_lap());
  const double noise = deviation_of(series.steady()) * std::sqrt(laps);
  if (laps == 0 || std::abs(excess) <= kClearWarmUp * noise) return std::nullopt;
  if (std::abs(share_of_observed(profile, excess)) < kWorthNaming) return std::nullopt;
  const std::string what = excess > 0
                               ? series.state.why
                               : fmt::format("{}; together {} less than steady ones",
                                             series.state.why, format_duration(Seconds{-excess}));
  return effect_of(profile, EffectKind::warm_up, excess, what);
}

/// Holds the median full lap of one whole epoch, and the number of laps of the run until its end.
struct EpochLevel {
  double lap = 0;
  std::size_t end = 0;
};

std::vector<EpochLevel> levels_of(const Series& series) {
  std::vector<EpochLevel> levels;
  const auto& index = series.full.index;
  auto next = index.begin();
  for (const EpochSpan& epoch : series.log.epochs) {
    const auto end = static_cast<std::size_t>(epoch.first_lap + epoch.laps);
    if (!epoch.ended || end > series.log.laps.size()) break;
    const auto begin = std::exchange(next, std::lower_bound(next, index.end(), end));
    if (begin == next) continue;
    const auto laps = std::span(series.full.seconds)
                          .subspan(static_cast<std::size_t>(begin - index.begin()),
                                   static_cast<std::size_t>(next - begin));
    levels.push_back({median(thinned(laps, kEnoughLaps)), end});
  }
  return levels;
}

/// Returns the highest value that counts as like those of `later`.
double highest_usual(std::span<const double> later) {
  return std::max(median(later) * (1 + kLeastSlow), mean(later) + spread_of_next(later, kSure));
}

/// Lists by how much each epoch is slower: "30 %, 10 %"; "..." replaces all after the fourth.
std::string slower_by(std::span<const double> laps, double usual) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (const double lap : laps.first(std::min(kNamed, laps.size())))
    text += (text.empty() ? "" : ", ") + format_share(lap / usual - 1);
  return laps.size() > kNamed ? text + " ..." : text;
}

/// Finds the slow epochs before the first one like the later ones, whose median lap exceeds theirs
/// by at most 3 % or lies below their 99 % prediction limit (Student's t). Returns nothing when
/// fewer than two later epochs were observed, or half of all would be slow.
std::optional<Effect> slow_epochs_effect(const Series& series, const LapProfile& profile) {
  const std::vector<EpochLevel> epochs = levels_of(series);
  if (epochs.size() <= kLeastLater) return std::nullopt;
  std::vector<double> laps;
  for (const EpochLevel& epoch : epochs) laps.push_back(epoch.lap);
  const std::size_t half = std::min(epochs.size() / 2, epochs.size() - kLeastLater);
  const auto later = std::span(laps).subspan(half);
  const double limit = highest_usual(later);
  std::size_t count = 0;
  while (count < half && laps[count] > limit) ++count;
  if (count == 0 || !(median(later) > 0)) return std::nullopt;
  const double excess = series.excess({0, epochs[count - 1].end}, profile.steady.mean.mid.count());
  if (share_of_observed(profile, excess) < kWorthNaming) return std::nullopt;
  return effect_of(profile, EffectKind::slow_epochs, excess,
                   fmt::format("the first {} slower than later ones, by {}: caches that fill?",
                               count == 1 ? "epoch was" : fmt::format("{} epochs were", count),
                               slower_by(std::span(laps).first(count), median(later))));
}

/// Sums the time by which stalled laps exceed the median steady lap.
std::optional<Effect> stall_effect(const Series& series, const LapProfile& profile) {
  const SteadyState& state = series.state;
  if (state.stalls.empty()) return std::nullopt;
  const double usual = median(thinned(series.steady()));
  double excess = 0, longest = 0;
  for (const std::size_t at : state.stalls) {
    excess += series.full.seconds[at] - usual;
    longest = std::max(longest, series.full.seconds[at]);
  }
  return effect_of(
      profile, EffectKind::stalls, excess,
      fmt::format("{} stalled{}, the longest for {} times a usual one",
                  counted(state.stalls.size(), "lap"), state.stalls_recur ? " again and again" : "",
                  format_number(longest / usual)),
      state.stalls_recur ? "they count as part of what a lap costs" : "");
}

std::optional<Effect> drift_effect(const Series& series, const LapProfile& profile) {
  const double drift = series.state.drift;
  if (drift == 0) return std::nullopt;
  const std::size_t laps = series.steady().size();
  const double time = profile.steady.mean.mid.count() * static_cast<double>(laps);
  return effect_of(
      profile, EffectKind::drift, drift / 2 * time,
      fmt::format("laps were still getting {}: {} over the {} steady ones",
                  drift > 0 ? "slower" : "faster", format_share(std::abs(drift)), laps));
}

/// Returns the median of the full laps from .. to - 1.
double level(const Series& series, std::size_t from, std::size_t to) {
  return median(thinned(std::span(series.full.seconds).subspan(from, to - from)));
}

/// Returns whether the laps before the last level were other work, not warm-up: they lasted, and
/// were either faster or a third of all laps.
bool was_other_work(const Series& series, std::size_t from, std::size_t to, double ratio) {
  if (to - from < kLastingLaps || std::abs(ratio - 1) < kOtherWork) return false;
  return ratio < 1 || 3 * (to - from) >= series.full.seconds.size();
}

std::optional<Effect> level_change_effect(const Series& series, const LapProfile& profile) {
  const SteadyState& state = series.state;
  if (state.cuts.empty()) return std::nullopt;
  const std::size_t to = state.cuts.back();
  const std::size_t from = state.cuts.size() > 1 ? state.cuts[state.cuts.size() - 2] : 1;
  const double before = level(series, from, to);
  const double after = level(series, state.begin, series.full.seconds.size());
  if (state.settled && !was_other_work(series, from, to, before / after)) return std::nullopt;
  const std::size_t laps = series.first_steady_lap();
  return effect_of(
      profile, EffectKind::level_change, cost_of_first(series, laps),
      fmt::format("a lap took {} until lap {}, and {} since", format_duration(Seconds{before}),
                  laps, format_duration(Seconds{after})),
      state.settled ? "" : "only a few laps were seen since: more are needed");
}

std::optional<Effect> phase_effect(const Series& series, const LapProfile& profile) {
  const std::vector<Lap>& laps = series.log.laps;
  if (laps.front().phase == laps.back().phase) return std::nullopt;
  std::size_t last = laps.size();
  while (last > 0 && laps[last - 1].phase == laps.back().phase) --last;
  return effect_of(
      profile, EffectKind::phases, cost_of_first(series, last),
      fmt::format("the program says that its work per lap changed; since lap {} it is "
                  "in phase '{}'",
                  last, series.log.phases.at(static_cast<std::size_t>(laps.back().phase))));
}

/// Returns the effect of pauses, "3 validations, 1.2 s each"; nothing when there are none.
std::optional<Effect> pause_effect(const LapProfile& profile, EffectKind kind,
                                   const std::vector<Span>& pauses, std::string_view name,
                                   std::string forecast) {
  if (pauses.empty()) return std::nullopt;
  double time = 0;
  for (const Span& pause : pauses) time += pause.seconds().count();
  const Seconds each{time / static_cast<double>(pauses.size())};
  return effect_of(profile, kind, time,
                   fmt::format("{}, {} each", counted(pauses.size(), name), format_duration(each)),
                   std::move(forecast));
}

std::string how_often(const ValidationSchedule& schedule) {
  if (schedule.is_quiet()) return "none of the epochs seen had one: how many come is not known";
  if (!schedule.observed) return "one is taken to come after every epoch";
  return "more are taken to come " + describe(schedule) +
         (schedule.least_every > 0 ? "; only one was seen, so that this may be wrong" : "");
}

std::optional<Effect> validation_effect(const Series& series, const LapProfile& profile) {
  std::vector<Span> pauses;
  for (const ValidationSpan& validation : validations_after_first_lap(series.log))
    if (laps_beside(series.log, validation).empty()) pauses.push_back(validation.span);
  return pause_effect(profile, EffectKind::validation, pauses, "validation",
                      how_often(profile.validations));
}

std::optional<Effect> first_validation_effect(const LapProfile& profile) {
  const auto& cost = profile.validation;
  if (!cost || cost->last_alone || cost->provenance != Provenance::measured) return std::nullopt;
  if (cost->observed <= kLeastLaterValidations || cost->later.contains(cost->first.mid))
    return std::nullopt;
  const double more = (cost->first.mid - cost->later.mid).count();
  if (std::abs(more) < kOtherFirst * cost->later.mid.count()) return std::nullopt;
  return effect_of(profile, EffectKind::first_validation, more,
                   fmt::format("the first validation took {}, later ones {}",
                               format_duration(cost->first.mid), format_duration(cost->later.mid)));
}

std::optional<Effect> overlapped_effect(const LapProfile& profile) {
  const auto& cost = profile.validation;
  if (!cost || !cost->last_alone) return std::nullopt;
  return effect_of(
      profile, EffectKind::overlapped_validation,
      cost->later.mid.count() * static_cast<double>(cost->observed),
      fmt::format("{} ran beside laps, which took {} longer each time",
                  counted(cost->observed, "validation"), format_duration(cost->later.mid)),
      fmt::format("no pause; only the last one is waited for, {}",
                  format_duration(cost->last_alone->mid)));
}

std::optional<Effect> epoch_overhead_effect(const Series& series, const LapProfile& profile) {
  const auto& overhead = profile.epoch_overhead;
  if (!overhead || overhead->low.count() <= 0) return std::nullopt;
  const double boundaries = std::max(0.0, static_cast<double>(series.log.epochs.size()) - 1);
  const double time = overhead->mid.count() * boundaries;
  if (share_of_observed(profile, time) < kWorthNaming) return std::nullopt;
  return effect_of(
      profile, EffectKind::epoch_overhead, time,
      fmt::format(
          "from one epoch to the next {} go by{}", format_duration(overhead->mid),
          series.full.without_first_of_epoch ? ", with what the first lap takes longer" : ""));
}

}  // namespace

std::vector<Effect> effects_of(const Series& series, const LapProfile& profile) {
  std::vector<Effect> effects;
  const auto add = [&effects](std::optional<Effect> found) {
    if (!found) return false;
    effects.push_back(*std::move(found));
    return true;
  };
  auto change = phase_effect(series, profile);
  if (!change) change = level_change_effect(series, profile);
  if (change) {
    add(slow_first_lap(series, profile));
  } else if (!add(slow_epochs_effect(series, profile)) && !series.coarse) {
    add(warm_up_effect(series, profile));
  }
  add(stall_effect(series, profile));
  add(drift_effect(series, profile));
  add(std::move(change));
  add(validation_effect(series, profile));
  add(first_validation_effect(profile));
  add(overlapped_effect(profile));
  add(epoch_overhead_effect(series, profile));
  add(pause_effect(profile, EffectKind::checkpoints, checkpoints_of(series.log), "save",
                   format_number(profile.checkpoints_per_epoch) + " for every epoch"));
  return effects;
}

std::optional<Effect> start_up_effect(const LapProfile& profile, const Forecast& forecast) {
  constexpr Seconds kLeast{1e-12};
  const double share = profile.init / std::max(forecast.total.mid, kLeast);
  if (share < kShortRun) return std::nullopt;
  return effect_of(
      profile, EffectKind::start_up, profile.init.count(),
      fmt::format("the process started {} before its first lap, as long as {:.0f} laps",
                  format_duration(profile.init),
                  profile.init / std::max(profile.steady.mean.mid, kLeast)),
      fmt::format("{} of the run that is forecast: most of what is not known of it is how the next "
                  "one starts",
                  format_share(share)));
}

}  // namespace lapcast
