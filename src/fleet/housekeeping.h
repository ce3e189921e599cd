#pragma once

#include <filesystem>

#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Warm when the store knows a run of the same program on this machine since it was last booted,
/// else cold; unknown when the boot time cannot be found out.
StartKind start_kind(const Store& store, const RunContext& context);

/// Removes what a killed lapcast left: run folders below `run_parent` and CPU quota cgroups.
void remove_stale_run_folders_and_cgroups(const std::filesystem::path& run_parent);

}  // namespace lapcast
