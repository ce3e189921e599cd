#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "forecast/gpu_use.h"
#include "lap/lap_log.h"
#include "machine/description.h"
#include "table/table.h"

namespace lapcast {

/// Returns the table of how much each GPU of a run computed, with a warning where one was idle.
Table gpu_table(std::span<const GpuUse> uses, const std::string& idle, bool ascii);

/// Returns "limit 700 W, top clock 1980 MHz, ECC on, MIG off, PCIe generation 5, 16 lanes, shared";
/// what is not known is left out.
std::string describe(const GpuSetUp& gpu);

/// Returns how the GPUs of a machine are set up, and its driver; without rows where nothing is
/// known.
Table gpu_set_up_table(const MachineDescription& machine);

/// Returns the power and the energy that counters told of a run until its first lap and in its
/// laps, and what its GPUs took while nothing computed on them; without rows where no counter told.
Table power_table(const LapLog& log);

/// Returns ", GPU 97 %" or ", GPUs 97 % 0 %" of the newest samples of a run that is under way; of
/// more than 4 GPUs the mean and both ends: ", GPUs 86 % (0-99)". Returns an empty text where no
/// GPU tells how busy it is.
std::string busy_text(std::span<const GpuSample> newest);

}  // namespace lapcast
