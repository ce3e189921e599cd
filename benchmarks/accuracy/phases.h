#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lapcast::accuracy {

/// Where the work per epoch changes: indexes of the first row of each phase, 0 among them. `paces`:
/// seconds per epoch of each row. A phase begins where the pace is more than a fifth from the median
/// of its phase so far, and the next row's (where there is one) is within a fifth of this one's:
/// single stalls are no phase, and neither is a slow first row, for a phase has two rows before
/// another begins. This looks at the whole run, as only who wrote the schedule can: phases found so
/// are declared ones.
std::vector<std::size_t> phase_starts(std::span<const double> paces);

}  // namespace lapcast::accuracy
