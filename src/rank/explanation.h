#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rank/ranking.h"

namespace lapcast {

/// Says what a choice would need to become the first, one change at a time. Members are empty if no
/// such value makes it the first.
struct Needs {
  const Choice* choice = nullptr;      // of the given ranking
  std::optional<Money> price;          // at most this per hour; only in a ranking by cost
  std::optional<Seconds> training;     // at most this time
  std::optional<std::int64_t> epochs;  // at most this many, while the first choice keeps its own
  /// Gives the smallest mean time between interruptions of its spot machines, to 0.1 %.
  std::optional<Seconds> between_interruptions;
  /// Gives the smallest utilisation of a reserved or owned machine, as a share of its hours; only
  /// in a ranking by cost.
  std::optional<double> utilisation;
};

/// Returns what each choice but the first of a ranking by cost or by time would need, in its order.
/// All values are exact: by quote(), with its billing steps, the choice is better than the first
/// with this value, and not with the next larger nano-dollar, nanosecond or epoch. If interruptions
/// were simulated, the price is for the same simulated use, training and epochs are empty, and the
/// time between interruptions is found by simulations with the same random numbers (SpotSimulator),
/// for the first 32 such choices. Returns nothing for a ranking by score, where any change changes
/// all scores, nor by energy or CO2.
std::vector<Needs> needs_of(const Ranking& ranking);

}  // namespace lapcast
