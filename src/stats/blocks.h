#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace lapcast {

// Ways to shorten a series that is too long to look at every value.

/// Returns the means of `block` values each, from the first on; a last block that is not full is
/// left out.
std::vector<double> block_means(std::span<const double> values, std::size_t block);

/// Returns one index of each of `most` equal stretches of n, in order; all indices where n is not
/// larger. The position within a stretch varies, so that the choice cannot coincide with a pattern
/// in the series; the same n always gives the same indices.
std::vector<std::size_t> thinned_indices(std::size_t n, std::size_t most = 4096);
/// Returns the values at thinned_indices().
std::vector<double> thinned(std::span<const double> values, std::size_t most = 4096);

}  // namespace lapcast
