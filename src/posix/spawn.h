#pragma once

#include <sys/types.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "posix/files.h"

namespace lapcast {

/// Says what a new process leads; a leader can be signalled with all that it starts.
enum class ProcessGroup {
  of_parent,
  own,
  own_session,  // and so it has no terminal
};

/// Values of SpawnSpec::streams that are not descriptors.
inline constexpr int kInheritedStream = -1;
inline constexpr int kNullStream = -2;  // /dev/null

/// Describes a process to start, which executes a program or a function of this one.
struct SpawnSpec {
  std::vector<std::string> arguments;  // of the program; [0] is its name
  std::filesystem::path file = {};     // the program; empty = what find_program() finds
  std::map<std::string, std::string> environment = {};  // is added to this process's own
  std::filesystem::path working_dir = {};               // empty = this process's
  std::array<int, 3> streams{kInheritedStream, kInheritedStream, kInheritedStream};
  ProcessGroup group = ProcessGroup::of_parent;
  /// Is a process group of this session that the process joins instead: it then reads that group's
  /// terminal, gets the signals of its keys, and ignores SIGHUP where this process does.
  std::optional<pid_t> joined_group = {};
  std::optional<int> signal_at_parent_death = {};
  std::vector<int> cpus = {};                        // CPU affinity; empty = unchanged
  std::vector<int> cgroup_procs_fds = {};            // the process writes itself into these cgroups
  std::optional<std::int64_t> most_data_bytes = {};  // limit of its private memory (RLIMIT_DATA)
  /// Runs instead of a program; its result is the exit status. It keeps the signal handlers and the
  /// ignored signals of this process. A program, in contrast, begins with default actions and
  /// without blocked signals.
  std::function<int()> work = {};
  /// Runs before `work`, and before a signal gets through.
  std::function<void()> prepare = {};
};

/// Starts a process. Returns after the program was executed, or after `prepare` has finished, so
/// that signals reach the new process and its group. A relative path of a program is resolved from
/// the working folder of this process. The reason says which step failed.
Result<pid_t> spawn(const SpawnSpec& spec);

/// Waits for a child to end. Returns its wait status; 0 when the process is not a child.
int wait_for(pid_t child);

/// Returns a descriptor that becomes readable when a process has ended. Returns one that is not
/// open where the kernel has no such descriptors (before Linux 5.3).
FileDescriptor open_process(pid_t process);

/// Returns the file that would be executed for a name, which is looked up on PATH when it has no
/// slash. The reason says why there is none: not found, not executable, a folder.
Result<std::filesystem::path> find_program(const std::string& name);

/// Returns the absolute path of this program's file. When another file took its place while the
/// program runs (an update, or a lapcast that was sent twice), the path is that file's. The path is
/// empty without /proc.
std::filesystem::path own_binary();

/// Holds what a program printed on stdout, and its exit code; -1 = a signal ended it.
struct EndedProgram {
  std::string text;
  int exit_code = 0;
};

/// Runs a program found on PATH, without a shell and without input, and returns what it printed, at
/// most 1 MiB, and how it ended. A program that takes longer than the time-out is killed with its
/// children. The reason says that the program was not found, or took too long.
Result<EndedProgram> run_to_end(const std::vector<std::string>& arguments,
                                std::chrono::milliseconds timeout);

/// Returns what a program printed, as run_to_end() does. The reason says also that it failed.
Result<std::string> output_of(const std::vector<std::string>& arguments,
                              std::chrono::milliseconds timeout);

/// Shows a file in the user's browser with xdg-open, and does not wait for it. The reason says that
/// it could not be started. The browser inherits the descriptors that are not closed by exec.
Result<void> open_in_browser(const std::filesystem::path& file);

}  // namespace lapcast
