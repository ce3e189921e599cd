#pragma once

#include <optional>
#include <span>

#include "core/seconds.h"

namespace lapcast {

/// Holds the power that a training needs with one batch size on one machine.
struct BatchPower {
  double epoch_s = 0;  // seconds per epoch, or of anything that grows in proportion
  double watts = 0;
};

/// Returns the power in W of the same program on the same machine with another batch size, whose
/// epochs take epoch_s, from measured batch sizes. With two or more, the energy per epoch is taken
/// as a constant power times the time, plus the same work for each epoch: the power is a straight
/// line in epochs per second between the two nearest measured speeds, and beyond all of them that
/// of the nearest one. With one, the power grows with speed^0.28. `most_watts` is the power limit
/// of the machine, if one is known. The intervals cover 95 % on energy-zeus (docs/money.md).
/// Returns nothing without a measurement or if a value is not above 0.
std::optional<Interval<double>> power_at_other_batch(std::span<const BatchPower> measured,
                                                     double epoch_s,
                                                     std::optional<double> most_watts = {});

}  // namespace lapcast
