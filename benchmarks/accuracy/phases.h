#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lapcast::accuracy {

/// Returns where the work per epoch changes: the index of the first row of each phase, the first
/// one 0. `paces` are the seconds per epoch of each row. A phase begins where the pace differs by
/// more than a fifth from the median of the phase so far and the next row (if there is one) is
/// within a fifth of this one. A single stall is therefore no phase, and neither is a slow first
/// row, because a phase has at least two rows before another begins. The function uses the whole
/// run, as only the author of the schedule can, so these phases count as declared ones.
std::vector<std::size_t> phase_starts(std::span<const double> paces);

}  // namespace lapcast::accuracy
