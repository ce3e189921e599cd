#include "stats/steady_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/units.h"
#include "stats/noise.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kMinTail = 5;  // values that a level needs to be believed
constexpr std::size_t kLeastForInside = 20;
constexpr double kInsideCaution = 1;  // added to the limit, because these are more tests
constexpr double kLeastShift = 0.01;  // shifts below 1 % are not worth losing laps for
constexpr int kMostCuts = 50;
// Above this size, levels are sought among the means of blocks.
constexpr std::size_t kLongSteadySeries = 16384;
constexpr std::size_t kMostSteadyBlocks = 4096;
constexpr std::size_t kRecurringStalls = 3;
constexpr double kSignificantDrift = 3.5;  // standard errors

/// Returns the score from which a shift is believed. On a constant level false alarms are under
/// 0.5 % for independent values, and about 2 % for a first-order autocorrelation of 0.5 (found by
/// simulation; see steady_state_test.cc).
double score_limit(std::size_t n) {
  return 3.8 + 25.0 / static_cast<double>(n);
}

/// Holds where levels change, and where the values after the last change begin.
struct Cuts {
  std::size_t begin = 1;
  std::vector<std::size_t> at;
  std::size_t faster = 0;  // cuts after which values were smaller
  std::size_t count() const { return at.size(); }
};

/// Returns how many consecutive stalls start at the first value; they are warm-up.
std::size_t leading_stalls(const std::vector<std::size_t>& stalls) {
  std::size_t lead = 0;
  while (lead < stalls.size() && stalls[lead] == lead) ++lead;
  return lead;
}

bool cut_at_shift(std::span<const double> clipped, std::size_t start, double caution, Cuts& cuts) {
  const auto rest = clipped.subspan(start);
  const auto shift = strongest_level_shift(rest, kMinTail);
  if (!shift || !(shift->score >= score_limit(rest.size()) + caution)) return false;
  if (!(std::abs(shift->before - shift->after) >= kLeastShift * shift->after)) return false;
  cuts.begin = start + shift->at;
  cuts.at.push_back(cuts.begin);
  cuts.faster += shift->after < shift->before;
  return true;
}

/// Tests all remaining values and two shorter tails: a temporary disturbance shows only in a tail
/// that begins within it (as in narrowest-over-threshold, Baranowski et al. 2019).
bool cut_once(std::span<const double> clipped, Cuts& cuts) {
  if (cut_at_shift(clipped, cuts.begin, 0, cuts)) return true;
  const std::size_t rest = clipped.size() - cuts.begin;
  if (rest < kLeastForInside) return false;
  return cut_at_shift(clipped, cuts.begin + rest / 4, kInsideCaution, cuts) ||
         cut_at_shift(clipped, cuts.begin + rest * 7 / 16, kInsideCaution, cuts);
}

void cut_while_possible(std::span<const double> clipped, Cuts& cuts) {
  for (int i = 0; i < kMostCuts && cut_once(clipped, cuts); ++i) continue;
}

std::size_t block_of(std::size_t n) {
  return n > kLongSteadySeries ? (n + kMostSteadyBlocks - 1) / kMostSteadyBlocks : 1;
}

/// Returns means of blocks from `begin` on, with each stall replaced by the usual value.
std::vector<double> calm_blocks(std::span<const double> values, const Stalls& stalls,
                                std::size_t begin, std::size_t block) {
  std::vector<double> means = block_means(values.subspan(begin), block);
  for (std::size_t i = 0; i < stalls.at.size(); ++i) {
    const std::size_t at = stalls.at[i];
    if (at < begin || (at - begin) / block >= means.size()) continue;
    means[(at - begin) / block] -= (values[at] - stalls.usual[i]) / static_cast<double>(block);
  }
  return means;
}

/// Locates cuts to the value in the head, and to the block after it.
void find_cuts_of_long(std::span<const double> values, const Stalls& stalls, Cuts& cuts) {
  const auto head = values.first(std::max(kMostSteadyBlocks, cuts.begin + 2 * kMinTail));
  cut_while_possible(clipped(head, stalls), cuts);
  const std::size_t block = block_of(values.size() - cuts.begin);
  Cuts of_blocks{0};
  cut_while_possible(calm_blocks(values, stalls, cuts.begin, block), of_blocks);
  for (const std::size_t at : of_blocks.at) cuts.at.push_back(cuts.begin + at * block);
  cuts.faster += of_blocks.faster;
  if (of_blocks.count() > 0) cuts.begin = cuts.at.back();
}

/// Returns the begin after a few slow values at the head that the cuts missed because a noisier
/// stretch follows them.
std::size_t slow_head(std::span<const double> clipped, std::size_t begin) {
  const std::vector<double> rest = thinned(clipped.subspan(begin));
  if (rest.size() < 2 * kMinTail) return begin;
  const double centre = median(rest);
  const double limit = centre + std::max(0.05 * centre, 4 * robust_deviation(rest));
  const std::size_t last = begin + (clipped.size() - begin) / 2;
  while (begin < last && clipped[begin] > limit) ++begin;
  return begin;
}

/// Returns the least-squares slope over the stretch, as a share of the mean; 0 when not
/// significant.
double significant_drift(std::span<const double> values) {
  const double n = static_cast<double>(values.size());
  if (values.size() < 2 * kMinTail) return 0;
  const double centre = mean(values);
  const double squares = n * (n * n - 1) / 12;  // of the distances to the middle index
  double products = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    products += (static_cast<double>(i) - (n - 1) / 2) * (values[i] - centre);
  }
  const double slope = products / squares;
  std::vector<double> noise(values.begin(), values.end());
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] -= slope * static_cast<double>(i);
  const double deviation = standard_deviation(noise) * std::sqrt(variance_inflation(noise));
  const double share = slope * (n - 1) / centre;
  const bool clear = std::abs(slope) * std::sqrt(squares) > kSignificantDrift * deviation;
  return clear && std::abs(share) >= kLeastShift ? share : 0;
}

std::string compare_head(std::span<const double> values, const SteadyState& state) {
  const double steady = median(thinned(values.subspan(state.begin)));
  const double head = mean(values.first(state.begin));
  if (state.begin > 1) {
    return fmt::format("the first {} laps were on average {}", state.begin,
                       compare_with_rest(head, steady));
  }
  if (std::abs(head - steady) < 0.05 * steady || head == steady)
    return "only the first lap is left out; it was like the rest";
  return "the first lap was " + compare_with_rest(head, steady);
}

/// Widens the estimate for an autocorrelation that `count` values cannot tell from none: one
/// standard error, 1 / sqrt(n) (Bartlett 1946).
void allow_for_unseen(MeanEstimate& estimate, std::size_t count) {
  if (count < 2) return;
  const double n = static_cast<double>(count);
  const double unseen = (1 + 1 / std::sqrt(n)) / (1 - 1 / std::sqrt(n));
  const double factor = std::sqrt(std::max(1.0, unseen * estimate.effective_n / n));
  Interval<double>& interval = estimate.interval;
  interval.low = interval.mid - factor * (interval.mid - interval.low);
  interval.high = interval.mid + factor * (interval.high - interval.mid);
  estimate.standard_error *= factor;
}

/// Returns the steady values, or their weights, without the stalls.
std::vector<double> without_stalls(std::span<const double> steady, const SteadyState& state) {
  std::vector<double> kept;
  kept.reserve(steady.size());
  for (std::size_t i = 0; i < steady.size(); ++i)
    if (!std::ranges::binary_search(state.stalls, state.begin + i)) kept.push_back(steady[i]);
  return kept;
}

}  // namespace

std::string compare_with_rest(double value, double rest) {
  if (!(rest > 0))
    return value > 0 ? "not as short as the rest, which took no time" : "like the rest";
  const double ratio = value / rest;
  if (ratio >= 2) return fmt::format("{} times as slow as the rest", format_number(ratio));
  return fmt::format("{} {} than the rest", format_share(std::abs(ratio - 1)),
                     ratio > 1 ? "slower" : "faster");
}

std::string explain(std::span<const double> values, const SteadyState& state) {
  if (state.begin == 0) return "too few ends of laps are known to tell a warm-up";
  std::string text = compare_head(values, state);
  const std::size_t cuts = state.cuts.size();
  if (cuts >= 3 && (state.faster_cuts == 0 || state.faster_cuts == cuts)) {
    text += fmt::format("; laps kept getting {}", state.faster_cuts ? "faster" : "slower");
  } else if (cuts > 0 && state.begin > values.size() / 3) {
    text += fmt::format("; the level changed after lap {}", state.begin);
  }
  if (!state.settled) text += ", shortly before the end";
  return text;
}

SteadyState find_steady_state(std::span<const double> values) {
  SteadyState state;
  if (values.size() < 2) {
    state.why = values.empty() ? "no laps" : "the only lap is taken as it is";
    return state;
  }
  const Stalls stalls = find_stalls(values);
  Cuts cuts{std::max<std::size_t>(1, leading_stalls(stalls.at))};
  if (cuts.begin == values.size()) cuts.begin = 1;
  const bool is_long = values.size() > kLongSteadySeries;
  const std::vector<double> copy = is_long ? std::vector<double>{} : clipped(values, stalls);
  const std::span<const double> calm = is_long ? values : copy;
  is_long ? find_cuts_of_long(calm, stalls, cuts) : cut_while_possible(calm, cuts);
  state.begin = slow_head(calm, cuts.begin);
  state.settled = cuts.count() == 0 || values.size() - state.begin >= 2 * kMinTail;

  state.stalls = stalls.at;
  std::erase_if(state.stalls, [&](std::size_t at) { return at < state.begin; });
  state.stalls_recur = count_stalls(state.stalls) >= kRecurringStalls;
  state.drift = significant_drift(
      calm_blocks(calm, stalls, state.begin, block_of(values.size() - state.begin)));
  state.cuts = std::move(cuts.at);
  state.faster_cuts = cuts.faster;
  state.why = explain(values, state);
  return state;
}

SteadyState find_steady_state(std::span<const double> values, std::span<const std::size_t> begins) {
  // Fewer values, such as those of a race's first round, do not show where warm-up ends.
  constexpr std::size_t kFewestOfWarmUp = 10;
  std::size_t next = 1;
  while (next < begins.size() && begins[next] < kFewestOfWarmUp) ++next;
  if (next >= begins.size()) return find_steady_state(values);
  SteadyState state = find_steady_state(values.first(begins[next]));
  for (std::size_t i = next; i < begins.size(); ++i) {
    const std::size_t end = i + 1 < begins.size() ? begins[i + 1] : values.size();
    for (const std::size_t at : find_stalls(values.subspan(begins[i], end - begins[i])).at)
      state.stalls.push_back(begins[i] + at);
  }
  state.stalls_recur = count_stalls(state.stalls) >= kRecurringStalls;
  state.drift = 0;
  state.settled = true;
  return state;
}

SteadyMean steady_mean(std::span<const double> values, const SteadyState& state,
                       std::span<const double> weights) {
  const auto steady = values.subspan(std::min(state.begin, values.size()));
  const auto its_weights = weights.subspan(std::min(state.begin, weights.size()));
  const bool all = state.stalls.empty() || state.stalls_recur;
  SteadyMean result{
      all ? autocorrelated_mean(steady, its_weights)
          : autocorrelated_mean(without_stalls(steady, state), without_stalls(its_weights, state)),
      {}};
  // Weighted values were measured over a stretch of time, in which the machine's speed wanders.
  if (!its_weights.empty()) allow_for_unseen(result.noise, steady.size());
  result.whole = result.noise.interval;
  const double half = result.whole.high - result.whole.mid;
  const double level_at_end = result.whole.mid * (1 + state.drift / 2);
  if (!state.stalls.empty()) {
    const double of_all = autocorrelated_mean(steady, its_weights).interval.mid;
    result.whole.high = std::max(result.whole.high, of_all + half);
  }
  if (state.drift > 0) result.whole.high = std::max(result.whole.high, level_at_end + half);
  if (state.drift < 0) result.whole.low = std::min(result.whole.low, level_at_end - half);
  return result;
}

SteadyState find_coarse_state(std::span<const double> values) {
  const std::size_t kept = (3 * values.size() + 4) / 5;
  // The search itself leaves out one more value.
  const std::size_t lead = kept + 1 < values.size() ? values.size() - kept - 1 : 0;
  SteadyState state = find_steady_state(values.subspan(lead));
  if (lead == 0) return state;
  state.begin += lead;
  for (std::size_t& at : state.stalls) at += lead;
  for (std::size_t& at : state.cuts) at += lead;
  const double head = mean(values.first(state.begin));
  const double steady = median(values.subspan(state.begin));
  state.why =
      fmt::format("of {} long laps the last {} count; those before were on average {}",
                  values.size(), values.size() - state.begin, compare_with_rest(head, steady));
  return state;
}

SteadyMean coarse_mean(std::span<const double> values, const SteadyState& state) {
  SteadyMean result = steady_mean(values, state);
  const auto steady = values.subspan(std::min(state.begin, values.size()));
  if (steady.size() < 3) return result;
  const auto [smallest, largest] = std::ranges::minmax(steady);
  const double sum = std::accumulate(steady.begin(), steady.end(), 0.0);
  Interval<double>& whole = result.whole;
  whole.mid = (sum - smallest - largest) / static_cast<double>(steady.size() - 2);
  whole.low = std::min(whole.low, whole.mid);
  whole.high = std::max(whole.high, whole.mid);
  return result;
}

}  // namespace lapcast
