#pragma once

#include <sys/types.h>

#include <cstdint>
#include <vector>

namespace lapcast {

/// All processes below this one: its children, theirs, and the orphans that it inherits as a
/// subreaper, whatever process group or session they moved to.
std::vector<pid_t> descendants();

/// Sends them SIGSTOP and looks again until none is new: one that was stopped cannot fork. Returns
/// whom it stopped.
std::vector<pid_t> suspend_descendants();
/// SIGCONT to all of them that are left.
void resume_descendants();

/// The most memory that one of them held so far, in bytes; 0 = not known.
std::int64_t peak_memory_of(const std::vector<pid_t>& processes);

}  // namespace lapcast
