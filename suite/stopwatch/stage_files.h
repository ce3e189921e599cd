#pragma once

#include <string>
#include <vector>

#include "suite/driver/suite_report.h"

namespace lapcast {

/// Holds the stages of networks on devices that files of a stopwatch say, and lines about what of
/// the files was left out.
struct StageFiles {
  std::vector<StopwatchEntry> entries;  // one for each network and device, in order of the files
  std::vector<std::string> lines;
};

/// Reads files of cloudmesh's stopwatch (import_stopwatch_csv()), such as `lapcast stopwatch --csv`
/// writes. A name may begin with a device: "tpu=FILE". Without one the tag of each line says
/// network and device, "mnist-mlp cpu". Devices have the names of stopwatch_device() in the result.
/// Throws Error (bad input) for a file without stages, for a tag that names no device, and for more
/// than 500 combinations of network and device.
StageFiles read_stage_files(const std::vector<std::string>& files);

}  // namespace lapcast
