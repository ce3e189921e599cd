#pragma once

#include <span>

#include "suite/papers/figure.h"
#include "suite/papers/measured_transfers.h"

namespace lapcast {

/// Adds to a figure of Künas 2023, chapter 5, the same of the user's own transfers. Only transfers
/// that are alike are averaged; of courses and sizes the newest of them is drawn.
void add_own_transfers(PaperFigure& figure, std::span<const MeasuredTransfer> transfers);

}  // namespace lapcast
