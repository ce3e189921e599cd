#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "choose/ranking.h"

namespace lapcast {

/// Says what a choice that is not the first would need to be it, one thing at a time, with
/// everything else as it is. Empty where no such value makes it the first.
struct Needs {
  const Choice* choice = nullptr;      // of the ranking that was asked about
  std::optional<Money> price;          // per hour: at most this, with a ranking by cost only
  std::optional<Seconds> training;     // of this time at most
  std::optional<std::int64_t> epochs;  // at most as many, where the first keeps its own
};

/// Returns what each choice but the first of a ranking by cost or by time would need, in its order.
/// All values are exact: by quote(), with its billing steps, the choice with the value is better
/// than the first, and with the next larger nano-dollar, nanosecond or epoch it is not. Returns
/// nothing for a ranking by score, where any change changes all scores, nor by energy or CO2.
std::vector<Needs> needs_of(const Ranking& ranking);

}  // namespace lapcast
