#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <vector>

#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// Returns when a process was started, in clock ticks since the boot (proc(5), stat, field 22).
/// Number and start together identify a process, because numbers are reused. Returns none when the
/// process is gone or a zombie.
std::optional<std::int64_t> start_ticks_of(pid_t pid);

/// Returns whether a process has a handler of its own for a signal (proc(5), status, SigCgt).
bool catches(pid_t pid, int signal);

/// Returns whether a process is stopped (SIGSTOP), so that it does nothing.
bool is_stopped(pid_t pid);

/// Returns whether a process is a descendant of the lapcast that started this one, such as another
/// candidate's program if this process is a worker.
bool is_of_same_lapcast(pid_t pid);

/// Returns whether the process with this number and this start has ended; a zombie has ended.
/// Without `start_ticks` only the number is compared.
bool has_ended(pid_t pid, std::optional<std::int64_t> start_ticks);

/// Kills a process if `is_it` returns true. `is_it` is called while pidfd_open holds the process,
/// so that its number cannot become that of another process. Returns whether it was killed.
bool kill_if(pid_t pid, const std::function<bool()>& is_it);

/// Kills the processes of this user that were started for a run folder: those whose environment
/// names it in LAPCAST_RUN_DIR or LAPCAST_LOG_DIR. Kills none and returns false when this process
/// is one of them.
bool kill_processes_of(const std::filesystem::path& run_folder);

/// Returns the children of a process, of all its threads; none when it is gone.
std::vector<pid_t> children_of(pid_t process);

/// Returns the processes that another one of them started as workers, as data loaders do: its
/// copies (fork), and children of Python's multiprocessing.
std::vector<pid_t> workers_among(const std::vector<pid_t>& processes);

/// Returns all processes below this one: its children, theirs, and the orphans that it inherits as
/// a subreaper, whatever process group or session they moved to.
std::vector<pid_t> descendants();

/// Kills and reaps the children of this process that are `wanted`, and the orphans that it inherits
/// from them as a subreaper. Returns how many there were; `reaped` gets the usage of each.
int kill_children(const std::function<bool(pid_t)>& wanted,
                  const std::function<void(const rusage&)>& reaped = {});

/// Stops and continues the processes below this one, whatever process group or session they moved
/// to, and records when they stood still.
class Suspension {
 public:
  bool active() const { return active_; }
  /// Stops the process group and every descendant that left it (SIGSTOP). Must not be called while
  /// active(). `idle_since_ns` is since when the program has been idle, if it was asked to wait;
  /// `with_queue` says that a device may go on working.
  void begin(pid_t group, std::optional<MonotonicNs> idle_since_ns = {}, bool with_queue = false);
  /// Resumes them (SIGCONT). Must be called only while active().
  void end(pid_t group);

  /// Ends the pause of a program that ended while it was suspended: no process is left to resume.
  void note_end();

  /// Returns the time from `from_ns` to `to_ns` minus all pauses, including one that still lasts.
  Seconds without_pauses(MonotonicNs from_ns, MonotonicNs to_ns) const;
  /// Returns the pauses that are over.
  const std::vector<Pause>& pauses() const { return pauses_; }
  MonotonicNs begun_ns() const { return begun_ns_; }
  /// Returns the most memory, in bytes, that one process held when it was stopped; 0 = not known.
  std::int64_t peak_memory_bytes() const { return peak_memory_bytes_; }

 private:
  bool active_ = false;
  bool with_queue_ = false;
  MonotonicNs begun_ns_ = 0;
  std::int64_t peak_memory_bytes_ = 0;
  std::vector<Pause> pauses_;
};

}  // namespace lapcast
