#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lapcast {

/// Of a series so long that looking at every value takes longer than it is worth.

/// Means of so many values each, from the first on; what does not fill a block is left out.
std::vector<double> block_means(std::span<const double> values, std::size_t block);

/// One index of each of `most` equal stretches of n, in order; all where there are no more. Which
/// of its stretch changes from one to the next, so that a pattern in the series does not meet that
/// of the choice; the same for the same n.
std::vector<std::size_t> thinned_indices(std::size_t n, std::size_t most = 4096);
/// The values there.
std::vector<double> thinned(std::span<const double> values, std::size_t most = 4096);

}  // namespace lapcast
