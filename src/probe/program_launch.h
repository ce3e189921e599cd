#pragma once

#include <filesystem>

#include "probe/child_process.h"
#include "probe/run_folder.h"
#include "run/run.h"

namespace lapcast {

/// Returns how to start the program of a run: `{run_dir}` filled in, CPUs, the environment of its
/// machine type, LAPCAST_LOG_DIR and LAPCAST_RUN_DIR, and the hook folder (empty = none) first on
/// its PYTHONPATH, before the user's own.
SpawnSpec launch_spec(const RunContext& context, const RunFolder& folder,
                      const std::filesystem::path& hook_folder);

}  // namespace lapcast
