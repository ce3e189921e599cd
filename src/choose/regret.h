#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "core/money.h"
#include "core/result.h"

namespace lapcast {

/// How much a pick lost against the best: (pick - best) / best [methods 8].
struct Regret {
  double relative = 0;
  std::size_t best = 0;      // index of the best of those known; the pick's own where it is equal
  bool lower_bound = false;  // some real values are not known: the best may be better still
};

/// From the real costs or times of all candidates, where they are known from runs to the end.
/// Reason when the pick's own is not known, or the best is 0 and the pick's is not.
Result<Regret> regret_of(std::size_t pick, std::span<const std::optional<double>> real);

/// (baseline - cost) / baseline. With what running everything to its end would have cost as
/// baseline and the probes as cost: the saving of the search [M]. With another machine's cost as
/// baseline: the cost efficiency [K]. Negative when the cost is above the baseline; a reason when
/// the baseline is not above 0.
Result<double> saving(Money baseline, Money cost);

}  // namespace lapcast
