#pragma once

#include <sys/types.h>

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"
#include "run/run.h"

namespace lapcast {

/// How to start a program.
struct LaunchSpec {
  std::vector<std::string> arguments;              // [0] is looked up on PATH when it has no slash
  std::map<std::string, std::string> environment;  // set on top of this process's own
  std::filesystem::path working_dir;               // empty = this process's
  std::vector<int> cpus;                           // CPU affinity; empty = unchanged
  int cgroup_procs_fd = -1;  // the child writes itself into this cgroup before it starts
};

struct ExitStatus {
  int status = 0;  // when signal == 0
  int signal = 0;
};

/// The file that would be executed, or why there is none: not found, not executable, a directory.
Result<std::filesystem::path> find_program(const std::string& name);

/// A running program, leader of its own process group, its output in two non-blocking pipes. It is
/// killed when this process dies. Not copyable; the destructor kills and reaps what is left.
class ChildProcess {
 public:
  /// Reason when it cannot be started.
  static Result<ChildProcess> start(const LaunchSpec& spec);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  int exit_fd() const { return pid_fd_; }  // readable when the leader has ended
  int output_fd() const { return output_fd_; }
  int error_fd() const { return error_fd_; }

  void signal_group(int signal) const;
  /// The leader's status once it has ended; what is left of its group is killed.
  std::optional<ExitStatus> reap();
  /// After reap(): kills and reaps every orphan that this process inherited as its subreaper, those
  /// that left the group too. Returns how many there were.
  int kill_lingering();
  /// CPU time and memory of all that was reaped.
  const Usage& usage() const { return usage_; }

 private:
  ChildProcess(pid_t pid, int pid_fd, int output_fd, int error_fd);
  pid_t pid_ = -1;
  int pid_fd_ = -1;
  int output_fd_ = -1;
  int error_fd_ = -1;
  bool reaped_ = false;
  Usage usage_;
};

}  // namespace lapcast
