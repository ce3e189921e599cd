#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/units.h"
#include "forecast/effects.h"
#include "forecast/lap_series.h"
#include "stats/blocks.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kLeastSlow = 0.03;
constexpr double kSure = 0.99;
constexpr std::size_t kLeastLater = 2;
constexpr std::size_t kEnoughLaps = 256;  // of an epoch, for its median

/// Whole epochs at the begin of a run that were slower than later ones.
struct SlowEpochs {
  std::vector<double> ratios;  // of each: its usual lap over that of later ones
  std::size_t laps = 0;        // of the run, until the last of them was over
};

/// Holds of one epoch its median full lap, and the laps of the run until its end.
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

// Above it a value is none of `later`.
double highest_usual(std::span<const double> later) {
  const double n = static_cast<double>(later.size());
  const double error = standard_deviation(later) * std::sqrt(1 + 1 / n);
  const double centre = median(later);
  return std::max(centre * (1 + kLeastSlow),
                  mean(later) + student_t_quantile(kSure, n - 1) * error);
}

/// Returns the epochs before the first that is like the later ones: like them when its median lap
/// is within 3 %, and within what one more value of theirs is in 99 % of the cases (Student's t).
/// The result is empty when fewer than two later epochs were observed, or half of all would be
/// slow.
SlowEpochs slow_first_epochs(const Series& series) {
  const std::vector<EpochLevel> epochs = levels_of(series);
  SlowEpochs slow;
  if (epochs.size() <= kLeastLater) return slow;
  std::vector<double> laps;
  for (const EpochLevel& epoch : epochs) laps.push_back(epoch.lap);
  const std::size_t half = std::min(epochs.size() / 2, epochs.size() - kLeastLater);
  const auto later = std::span(laps).subspan(half);
  const double limit = highest_usual(later);
  std::size_t count = 0;
  while (count < half && laps[count] > limit) ++count;
  if (count == 0 || !(median(later) > 0)) return slow;
  slow.laps = epochs[count - 1].end;
  for (std::size_t i = 0; i < count; ++i) slow.ratios.push_back(laps[i] / median(later));
  return slow;
}

constexpr double kWorthNaming = 0.005;    // of the time seen
constexpr double kClearWarmUp = 6;        // deviations of as many steady laps
constexpr std::size_t kLastingLaps = 20;  // of a level, so that it was work and no warm-up
constexpr double kOtherWork = 0.05;       // by which levels differ when the work does

std::span<const double> steady_laps(const Series& series) {
  return std::span(series.full.seconds).subspan(series.state.begin);
}

// Of fewer than five laps the robust deviation may be nothing by chance.
double deviation_of(std::span<const double> laps) {
  return std::max(robust_deviation(thinned(laps)), laps.size() < 5 ? 0.1 * mean(laps) : 0);
}

// The first lap alone, beside laps of the same work: what changed later is named apart.
void add_slow_first_lap(const Series& series, const LapProfile& profile,
                        std::vector<Effect>& effects) {
  const std::vector<Lap>& laps = series.log.laps;
  const auto same = std::find_if(laps.begin(), laps.end(), [&laps](const Lap& lap) {
    return lap.phase != laps.front().phase;
  });
  const auto end = std::min({same - laps.begin(), std::ptrdiff_t{50},
                             static_cast<std::ptrdiff_t>(series.first_steady_lap())});
  if (end < 2) return;
  const auto rest = std::span(series.costs).first(static_cast<std::size_t>(end)).subspan(1);
  const double excess = series.costs[0] - median(rest);
  if (excess <= kClearWarmUp * deviation_of(rest)) return;
  Effect effect = effect_of(profile, EffectKind::warm_up, excess);
  if (effect.share < kWorthNaming) return;
  effect.what = "the first lap was " + compare_with_rest(series.costs[0], median(rest));
  effects.push_back(std::move(effect));
}

void add_warm_up(const Series& series, const LapProfile& profile, std::vector<Effect>& effects) {
  const double excess = profile.warm_up_excess.count();
  const double laps = static_cast<double>(series.first_steady_lap());
  const double deviation = deviation_of(steady_laps(series));
  if (laps == 0 || std::abs(excess) <= kClearWarmUp * deviation * std::sqrt(laps)) return;
  Effect effect = effect_of(profile, EffectKind::warm_up, excess);
  if (std::abs(effect.share) < kWorthNaming) return;
  effect.what = series.state.why;
  effects.push_back(std::move(effect));
}

std::string slower_by(const std::vector<double>& ratios) {
  constexpr std::size_t kNamed = 4;
  std::string text;
  for (std::size_t i = 0; i < std::min(kNamed, ratios.size()); ++i)
    text += fmt::format("{}{}", i == 0 ? "" : ", ", format_share(ratios[i] - 1));
  return ratios.size() > kNamed ? text + " ..." : text;
}

bool add_slow_epochs(const Series& series, const LapProfile& profile,
                     std::vector<Effect>& effects) {
  const SlowEpochs slow = slow_first_epochs(series);
  if (slow.ratios.empty()) return false;
  double excess = 0;
  for (std::size_t i = 0; i < slow.laps; ++i)
    if (!series.is_overhead(i))
      excess += series.costs[i] - profile.steady.mean.mid.count() * series.share(i);
  Effect effect = effect_of(profile, EffectKind::slow_epochs, excess);
  if (effect.share < kWorthNaming) return false;
  effect.what = fmt::format(
      "the first {} slower than later ones, by {}: caches that fill?",
      slow.ratios.size() == 1 ? "epoch was" : fmt::format("{} epochs were", slow.ratios.size()),
      slower_by(slow.ratios));
  effects.push_back(std::move(effect));
  return true;
}

// Beyond what a lap between its neighbours would have taken; they are above it by 30 % or more.
void add_stalls(const Series& series, const LapProfile& profile, std::vector<Effect>& effects) {
  const SteadyState& state = series.state;
  if (state.stalls.empty()) return;
  const double usual = median(thinned(steady_laps(series)));
  double excess = 0, longest = 0;
  for (const std::size_t at : state.stalls) {
    excess += series.full.seconds[at] - usual;
    longest = std::max(longest, series.full.seconds[at]);
  }
  Effect effect = effect_of(profile, EffectKind::stalls, excess);
  effect.what = fmt::format("{} lap{} stalled{}, the longest for {:.3g} times a usual one",
                            state.stalls.size(), state.stalls.size() == 1 ? "" : "s",
                            state.stalls_recur ? " again and again" : "", longest / usual);
  if (state.stalls_recur) effect.forecast = "they count as part of what a lap costs";
  effects.push_back(std::move(effect));
}

void add_drift(const Series& series, const LapProfile& profile, std::vector<Effect>& effects) {
  const double drift = series.state.drift;
  if (drift == 0) return;
  const auto steady = steady_laps(series);
  const double time = profile.steady.mean.mid.count() * static_cast<double>(steady.size());
  Effect effect = effect_of(profile, EffectKind::drift, drift / 2 * time);
  effect.what =
      fmt::format("laps were still getting {}: {} over the {} steady ones",
                  drift > 0 ? "slower" : "faster", format_share(std::abs(drift)), steady.size());
  effects.push_back(std::move(effect));
}

// The usual one of the full laps from .. to - 1.
double level(const Series& series, std::size_t from, std::size_t to) {
  return median(thinned(std::span(series.full.seconds).subspan(from, to - from)));
}

// What went before the last level was work of its own, not warm-up: it lasted, and either it was
// faster, or it took a third of all laps.
bool was_other_work(const Series& series, std::size_t from, std::size_t to, double ratio) {
  if (to - from < kLastingLaps || std::abs(ratio - 1) < kOtherWork) return false;
  return ratio < 1 || 3 * (to - from) >= series.full.seconds.size();
}

bool add_level_change(const Series& series, const LapProfile& profile,
                      std::vector<Effect>& effects) {
  const SteadyState& state = series.state;
  if (state.cuts.empty()) return false;
  const std::size_t to = state.cuts.back();
  const std::size_t from = state.cuts.size() > 1 ? state.cuts[state.cuts.size() - 2] : 1;
  const double before = level(series, from, to);
  const double after = level(series, state.begin, series.full.seconds.size());
  if (state.settled && !was_other_work(series, from, to, before / after)) return false;
  double time = 0;
  for (std::size_t i = 0; i < series.first_steady_lap(); ++i) time += series.costs[i];
  Effect effect = effect_of(profile, EffectKind::level_change, time);
  effect.what =
      fmt::format("a lap took {} until lap {}, and {} since", format_duration(Seconds{before}),
                  series.first_steady_lap(), format_duration(Seconds{after}));
  if (!state.settled) effect.forecast = "only a few laps were seen since: more are needed";
  effects.push_back(std::move(effect));
  return true;
}

bool add_phases(const Series& series, const LapProfile& profile, std::vector<Effect>& effects) {
  const std::vector<Lap>& laps = series.log.laps;
  if (laps.front().phase == laps.back().phase) return false;
  std::size_t last = laps.size();
  while (last > 0 && laps[last - 1].phase == laps.back().phase) --last;
  double before = 0;
  for (std::size_t i = 0; i < last; ++i) before += series.costs[i];
  Effect effect = effect_of(profile, EffectKind::phases, before);
  const std::string& phase = series.log.phases.at(static_cast<std::size_t>(laps.back().phase));
  effect.what = fmt::format(
      "the program says that its work per lap changed; since lap {} it is in "
      "phase '{}'",
      last, phase);
  effects.push_back(std::move(effect));
  return true;
}

}  // namespace

void add_lap_effects(const Series& series, const LapProfile& profile,
                     std::vector<Effect>& effects) {
  std::vector<Effect> changes;
  const bool in_phases = add_phases(series, profile, changes);
  if (in_phases || add_level_change(series, profile, changes)) {
    add_slow_first_lap(series, profile, effects);
  } else if (!add_slow_epochs(series, profile, effects) && !series.coarse) {
    add_warm_up(series, profile, effects);
  }
  add_stalls(series, profile, effects);
  add_drift(series, profile, effects);
  effects.insert(effects.end(), changes.begin(), changes.end());
}

}  // namespace lapcast
