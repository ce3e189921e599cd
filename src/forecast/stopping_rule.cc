#include "forecast/stopping_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <vector>

#include "core/units.h"
#include "forecast/lap_observations.h"
#include "forecast/lap_series.h"
#include "stats/intervals.h"
#include "stats/steady_state.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostRuleBlocks = 512;
constexpr double kMostLapsNeeded = 1e9;

std::int64_t more_laps(const Verdict& verdict, const StoppingRule& rule) {
  const double lap = verdict.steady_lap.count();
  const double steady = static_cast<double>(verdict.steady_laps);
  const double for_precision = rule.precision <= 0 ? kMostLapsNeeded
                               : std::isfinite(verdict.half_width)
                                   ? steady * std::pow(verdict.half_width / rule.precision, 2)
                                   : 0;
  const double for_observations = verdict.observations > 0
                                      ? steady * static_cast<double>(kFewestObservations) /
                                            static_cast<double>(verdict.observations)
                                      : 0;
  const double wanted = std::max({static_cast<double>(rule.min_laps), for_precision,
                                  for_observations, lap > 0 ? rule.min_steady.count() / lap : 0});
  return static_cast<std::int64_t>(std::clamp(std::ceil(wanted - steady), 1.0, kMostLapsNeeded));
}

void decide(Verdict& verdict, const StoppingRule& rule) {
  const Seconds stretch = verdict.steady_lap * static_cast<double>(verdict.steady_laps);
  const bool are_shared = verdict.observations < verdict.steady_laps;
  if (verdict.steady_laps < rule.min_laps) {
    verdict.text = fmt::format("{} of {} steady laps", verdict.steady_laps, rule.min_laps);
  } else if (verdict.observations < kFewestObservations) {
    verdict.text = fmt::format("{} of {} observations", verdict.observations, kFewestObservations);
  } else if (rule.precision <= 0 || !(verdict.half_width <= rule.precision)) {
    verdict.text = fmt::format("within {}, wanted {}", format_share(verdict.half_width),
                               format_share(rule.precision));
  } else if (stretch < rule.min_steady) {
    verdict.text =
        fmt::format("{} of {} steady", format_duration(stretch), format_duration(rule.min_steady));
  } else {
    verdict.enough = true;
    verdict.text = are_shared ? fmt::format("within {}, {} observations",
                                            format_share(verdict.half_width), verdict.observations)
                              : fmt::format("{} steady laps within {}", verdict.steady_laps,
                                            format_share(verdict.half_width));
  }
  verdict.laps_needed = verdict.enough ? 0 : more_laps(verdict, rule);
}

/// Holds values, each the mean of `weights` laps; without weights, of one lap.
struct WeightedLaps {
  std::vector<double> seconds;
  std::vector<double> weights;
};

/// Returns the means of `block` observations each.
WeightedLaps in_blocks(std::span<const double> laps, std::span<const double> weights,
                       std::size_t block) {
  if (weights.empty()) return {block_means(laps, block), {}};
  WeightedLaps result;
  for (std::size_t begin = 0; begin + block <= laps.size(); begin += block) {
    double seconds = 0, weight = 0;
    for (std::size_t i = begin; i < begin + block; ++i) {
      seconds += laps[i] * weights[i];
      weight += weights[i];
    }
    result.seconds.push_back(seconds / weight);
    result.weights.push_back(weight);
  }
  return result;
}

}  // namespace

Verdict judge(std::span<const double> laps, const StoppingRule& rule,
              std::span<const double> weights) {
  Verdict verdict;
  verdict.half_width = std::numeric_limits<double>::infinity();
  if (laps.size() >= 2) {
    const std::size_t block = (laps.size() + kMostRuleBlocks - 1) / kMostRuleBlocks;
    const auto [seconds, of_blocks] = in_blocks(laps, weights, block);
    const SteadyState state = find_steady_state(seconds);
    const SteadyMean steady = steady_mean(seconds, state, of_blocks);
    verdict.observations = static_cast<std::int64_t>((seconds.size() - state.begin) * block);
    const auto its_weights = std::span(of_blocks).subspan(std::min(state.begin, of_blocks.size()));
    verdict.steady_laps =
        weights.empty()
            ? verdict.observations
            : std::llround(std::accumulate(its_weights.begin(), its_weights.end(), 0.0));
    verdict.steady_lap = Seconds{steady.noise.interval.mid};
    if (steady.noise.interval.mid == 0) {
      verdict.half_width = 0;  // laps without any length: the stretch decides
    } else if (verdict.observations >= kFewestObservations) {
      verdict.half_width = relative_half_width(steady.noise.interval);
    }
  }
  decide(verdict, rule);
  return verdict;
}

Verdict judge(const SteadyLaps& steady, const StoppingRule& rule) {
  StoppingRule on_device = rule;
  on_device.precision = rule.device_precision;
  Verdict verdict{.steady_laps = steady.laps,
                  .observations = steady.observations,
                  .half_width = std::numeric_limits<double>::infinity(),
                  .steady_lap = steady.mean.mid};
  if (steady.observations >= kFewestObservations)
    verdict.half_width = (steady.mean.high - steady.mean.low) / steady.mean.mid / 2;
  decide(verdict, on_device);
  return verdict;
}

std::int64_t laps_of_later_round(Seconds lap) {
  constexpr double kLeastLaps = 5;
  constexpr Seconds kShortest{1e-6};  // of a lap, for clocks that are too coarse
  constexpr double kRounding = 1e-6;  // of laps
  return static_cast<std::int64_t>(
      std::max(kLeastLaps, std::ceil(kLaterRound / std::max(lap, kShortest) - kRounding)));
}

const Verdict& StoppingRuleJudge::judge(std::span<const Lap> laps) {
  const bool are_others = laps.size() < seen_laps_;
  seen_laps_ = laps.size();
  if (laps.size() < next_laps_ && !are_others) return verdict_;
  next_laps_ = laps.size() + std::max<std::size_t>(1, laps.size() / 10);
  std::vector<double> seconds(laps.size());
  std::transform(laps.begin(), laps.end(), seconds.begin(),
                 [](const Lap& lap) { return lap.seconds().count(); });
  share_out_queued(laps, seconds);
  const FullLaps full = full_laps(laps, seconds);
  const LapObservations seen = observations_of(laps, full.index, full.seconds);
  on_device_ = on_device_ || !std::ranges::all_of(laps, &Lap::finished);
  StoppingRule rule = rule_;
  if (on_device_) rule.precision = rule.device_precision;
  verdict_ = lapcast::judge(seen.are_laps() ? full.seconds : seen.seconds, rule, seen.laps);
  if (seen.ends_unknown) {
    verdict_.observations = 0;
    verdict_.half_width = std::numeric_limits<double>::infinity();
    verdict_.enough = false;
    decide(verdict_, rule);
  }
  return verdict_;
}

}  // namespace lapcast
