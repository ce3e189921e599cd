#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>

namespace lapcast {

/// Returns when a process was started, in clock ticks since the boot (proc(5), stat, field 22). The
/// number and the start together name a process, because numbers are used again. None when the
/// process is gone or a zombie.
std::optional<std::int64_t> start_ticks_of(pid_t pid);

/// Returns whether the process with this number that was started then has ended, as a zombie has.
/// Without `start_ticks` any process with the number counts.
bool has_ended(pid_t pid, std::optional<std::int64_t> start_ticks);

/// Kills a process if `is_it` returns true; it is asked when the number can no longer become that
/// of another process (pidfd_open). Returns whether it was killed.
bool kill_if(pid_t pid, const std::function<bool()>& is_it);

/// Kills the processes of this user that were started for a run folder: those whose environment has
/// its LAPCAST_RUN_DIR or LAPCAST_LOG_DIR. Returns false when this process is one of them: then
/// none is killed.
bool kill_processes_of(const std::filesystem::path& run_folder);

}  // namespace lapcast
