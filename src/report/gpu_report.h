#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "forecast/gpu_use.h"
#include "lap/lap_log.h"
#include "machine/description.h"
#include "table/table.h"

namespace lapcast {

/// Returns the table of the use of each GPU in a run, with a warning if one was idle.
Table gpu_table(std::span<const GpuUse> uses, const std::string& idle, bool ascii);

/// Returns "limit 700 W, top clock 1980 MHz, ECC on, MIG off, PCIe generation 5, 16 lanes, shared"
/// without what is not known.
std::string describe(const GpuSetUp& gpu);

/// Returns the configuration of a machine's GPUs, and its driver; without rows if nothing is known.
Table gpu_set_up_table(const MachineDescription& machine);

/// Returns the measured power and energy of a run until its first lap and in its laps, and what its
/// GPUs used while idle; without rows if there are no measurements.
Table power_table(const LapLog& log);

/// Returns ", GPU 97 %" or ", GPUs 97 % 0 %" for the newest samples of a running run; for more than
/// 4 GPUs the mean and the range: ", GPUs 86 % (0-99)". Returns an empty text if no sample has a
/// GPU's use.
std::string busy_text(std::span<const GpuSample> newest);

}  // namespace lapcast
