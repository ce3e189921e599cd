#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace lapcast {

/// All processes below this one: its children, theirs, and the orphans that it inherits as a
/// subreaper, whatever process group or session they moved to.
std::vector<pid_t> descendants();

/// Returns the children of this process.
std::vector<pid_t> own_children();

/// Kills and reaps the children of this process that are `wanted`, and the orphans that it inherits
/// from them as a subreaper. Returns how many there were; `reaped` is told what each has used.
int kill_children(const std::function<bool(pid_t)>& wanted,
                  const std::function<void(const rusage&)>& reaped = {});

/// Sends them SIGSTOP and looks again until none is new: one that was stopped cannot fork. Returns
/// whom it stopped.
std::vector<pid_t> suspend_descendants();
/// SIGCONT to all of them that are left.
void resume_descendants();

/// The most memory that one of them held so far, in bytes; 0 = not known.
std::int64_t peak_memory_of(const std::vector<pid_t>& processes);

}  // namespace lapcast
