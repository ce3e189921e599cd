#pragma once

#include <vector>

namespace lapcast::workloads {

/// Returns the rank of each value, from 1; equal values share the mean of their ranks.
std::vector<double> mean_ranks(const std::vector<double>& values);

/// Returns Spearman's rank correlation of two lists of the same length (American Journal of
/// Psychology 15, 1904): Pearson's correlation of their mean ranks. Returns NaN when a list is
/// constant or shorter than 2.
double spearman(const std::vector<double>& a, const std::vector<double>& b);

}  // namespace lapcast::workloads
