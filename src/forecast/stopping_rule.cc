#include "forecast/stopping_rule.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/units.h"
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
  const double for_precision = std::isfinite(verdict.half_width)
                                   ? steady * std::pow(verdict.half_width / rule.precision, 2)
                                   : 0;
  const double wanted = std::max({static_cast<double>(rule.min_laps), for_precision,
                                  lap > 0 ? rule.min_steady.count() / lap : 0});
  return static_cast<std::int64_t>(std::clamp(std::ceil(wanted - steady), 1.0, kMostLapsNeeded));
}

void decide(Verdict& verdict, const StoppingRule& rule) {
  const Seconds stretch = verdict.steady_lap * static_cast<double>(verdict.steady_laps);
  if (verdict.steady_laps < rule.min_laps) {
    verdict.text = fmt::format("{} of {} steady laps", verdict.steady_laps, rule.min_laps);
  } else if (!(verdict.half_width <= rule.precision)) {
    verdict.text = fmt::format("within {}, wanted {}", format_share(verdict.half_width),
                               format_share(rule.precision));
  } else if (stretch < rule.min_steady) {
    verdict.text =
        fmt::format("{} of {} steady", format_duration(stretch), format_duration(rule.min_steady));
  } else {
    verdict.enough = true;
    verdict.text = fmt::format("{} steady laps within {}", verdict.steady_laps,
                               format_share(verdict.half_width));
  }
  verdict.laps_needed = verdict.enough ? 0 : more_laps(verdict, rule);
}

}  // namespace

Verdict judge(std::span<const double> laps, const StoppingRule& rule) {
  Verdict verdict;
  verdict.half_width = std::numeric_limits<double>::infinity();
  if (laps.size() >= 2) {
    const std::size_t block = (laps.size() + kMostRuleBlocks - 1) / kMostRuleBlocks;
    const std::vector<double> blocks = block_means(laps, block);
    const SteadyState state = find_steady_state(blocks);
    const SteadyMean steady = steady_mean(blocks, state);
    verdict.steady_laps = static_cast<std::int64_t>((blocks.size() - state.begin) * block);
    verdict.steady_lap = Seconds{steady.noise.interval.mid};
    if (steady.noise.interval.mid == 0) {
      verdict.half_width = 0;  // laps without any length: the stretch decides
    } else if (blocks.size() - state.begin >= 2) {
      verdict.half_width = relative_half_width(steady.noise.interval);
    }
  }
  decide(verdict, rule);
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
  verdict_ = lapcast::judge(full_laps(laps, seconds).seconds, rule_);
  return verdict_;
}

}  // namespace lapcast
