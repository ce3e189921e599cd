#pragma once

#include <span>
#include <vector>

namespace lapcast {

/// Returns the p-values of several tests, adjusted by Holm's step-down procedure (Holm 1979), in
/// the order given: the chance that any true null hypothesis has a value below 0.05 is at most
/// 0.05, however the tests depend on each other. Each p-value is in 0..1.
std::vector<double> holm_adjusted(std::span<const double> p_values);

}  // namespace lapcast
