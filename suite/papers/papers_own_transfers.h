#pragma once

#include <span>

#include "suite/papers/figure.h"
#include "suite/papers/measured_transfers.h"

namespace lapcast {

/// Adds the user's own transfers to a figure of Künas 2023, chapter 5. Averages only transfers that
/// are alike; for courses and sizes draws only the newest of them.
void add_own_transfers(PaperFigure& figure, std::span<const MeasuredTransfer> transfers);

}  // namespace lapcast
