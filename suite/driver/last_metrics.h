#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "run/run.h"

namespace lapcast {

/// Returns the last value of each metric that a program of the suite reports at its end, in the
/// order of `names`. Returns the reason why there are none: the run failed, or a metric is missing.
/// A run without laps is valid if it ended well.
Result<std::vector<double>> last_metrics(const Run& run,
                                         std::initializer_list<std::string_view> names);

}  // namespace lapcast
