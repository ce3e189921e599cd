#pragma once

#include <span>

#include "report/table.h"

namespace lapcast {

/// The mean of repeated values with its 95 % Student-t interval; of one value just it; of none
/// nothing.
Cell mean_time(std::span<const double> seconds);
Cell mean_number(std::span<const double> values);

}  // namespace lapcast
