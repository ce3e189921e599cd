#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "forecast/gpu_use.h"
#include "report/table.h"

namespace lapcast {

/// Returns the table of how much each GPU of a run computed, with a warning where one was idle.
Table gpu_table(std::span<const GpuUse> uses, const std::string& idle, bool ascii);

/// Returns ", GPU 97 %" or ", GPUs 97 % 0 %" of the newest samples of a run that is under way; of
/// more than 4 GPUs the mean and both ends: ", GPUs 86 % (0-99)". Returns an empty text where no
/// GPU tells how busy it is.
std::string busy_text(std::span<const GpuSample> newest);

}  // namespace lapcast
