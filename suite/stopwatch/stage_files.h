#pragma once

#include <string>
#include <vector>

#include "suite/driver/suite_report.h"

namespace lapcast {

/// Holds the stages of networks on devices from files of a stopwatch, and lines about what was left
/// out.
struct StageFiles {
  std::vector<StopwatchEntry> entries;  // one for each network and device, in order of the files
  std::vector<std::string> lines;
};

/// Reads files of cloudmesh's stopwatch (import_stopwatch_csv()), such as those of `lapcast
/// stopwatch --csv`. A name may begin with a device: "tpu=FILE". Without one the tag of each line
/// names network and device, "mnist-mlp cpu". Devices in the result have the names of
/// stopwatch_device(). Throws Error (bad input) for a file without stages, for a tag without a
/// device, and for more than 500 combinations of network and device.
StageFiles read_stage_files(const std::vector<std::string>& files);

}  // namespace lapcast
