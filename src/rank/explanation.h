#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "rank/ranking.h"

namespace lapcast {

/// Says what a choice that is not the first would need to be it, one thing at a time, with
/// everything else as it is. Empty where no such value makes it the first.
struct Needs {
  const Choice* choice = nullptr;      // of the ranking that was asked about
  std::optional<Money> price;          // per hour: at most this, with a ranking by cost only
  std::optional<Seconds> training;     // of this time at most
  std::optional<std::int64_t> epochs;  // at most as many, where the first keeps its own
  /// Gives the mean time between interruptions of its spot machines, at least; to 0.1 %.
  std::optional<Seconds> between_interruptions;
  /// Gives the share of its hours in which a reserved or owned machine is used, at least; with a
  /// ranking by cost only.
  std::optional<double> utilisation;
};

/// Returns what each choice but the first of a ranking by cost or by time would need, in its order.
/// All values are exact: by quote(), with its billing steps, the choice with the value is better
/// than the first, and with the next larger nano-dollar, nanosecond or epoch it is not. Where
/// interruptions were simulated, the price is for the same simulated use, the training and the
/// epochs are not said, and the time between interruptions is found by simulations with the same
/// luck (SpotSimulator), for the first 32 such choices. Returns nothing for a ranking by score,
/// where any change changes all scores, nor by energy or CO2.
std::vector<Needs> needs_of(const Ranking& ranking);

}  // namespace lapcast
