#pragma once

#include <filesystem>

#include "fleet/executor.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Returns warm when the store knows a run of the same program on this machine since it was last
/// booted, else cold; unknown when the boot time cannot be found out.
StartKind start_kind(const Store& store, const RunContext& context);

/// Begins to remove what stored runs have left on remote machines, where a killed lapcast or a
/// machine out of reach prevented it. Executor::take_removed() tells what was removed.
void remove_leftovers(const Store& store, Executor& executor);

/// Removes runs of which nothing is left on their machines from the store's pending runs; with
/// `all` after waiting for the removals under way.
void note_removed(Store& store, Executor& executor, bool all);

/// Removes what a killed lapcast left: run folders below `run_parent` and CPU quota cgroups.
void remove_stale_run_folders_and_cgroups(const std::filesystem::path& run_parent);

}  // namespace lapcast
