#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace lapcast {

/// Returns the children of a process, those of all its threads; none when it is gone.
std::vector<pid_t> children_of(pid_t process);

/// Returns all processes below this one: its children, theirs, and the orphans that it inherits as
/// a subreaper, whatever process group or session they moved to.
std::vector<pid_t> descendants();

/// Kills and reaps the children of this process that are `wanted`, and the orphans that it inherits
/// from them as a subreaper. Returns how many there were; `reaped` is told what each has used.
int kill_children(const std::function<bool(pid_t)>& wanted,
                  const std::function<void(const rusage&)>& reaped = {});

/// Sends SIGSTOP to all descendants, again until none is new: one that was stopped cannot fork.
/// Returns which it stopped.
std::vector<pid_t> suspend_descendants();

/// Sends SIGCONT to all descendants.
void resume_descendants();

/// Returns the most memory, in bytes, that one of these processes held so far; none when it is not
/// known.
std::optional<std::int64_t> peak_memory_of(const std::vector<pid_t>& processes);

}  // namespace lapcast
