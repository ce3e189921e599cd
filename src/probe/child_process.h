#pragma once

#include <sys/types.h>

#include <optional>

#include "core/result.h"
#include "posix/spawn.h"
#include "run/run.h"

namespace lapcast {

/// Says how a program ended.
struct ExitStatus {
  int status = 0;  // when signal == 0
  int signal = 0;  // that ended it; 0 = none did
};

/// Owns a running program, the leader of its own process group, without input and with its output
/// in two non-blocking pipes. The program is killed when this process dies; the destructor kills
/// and reaps what is left of it.
class ChildProcess {
 public:
  /// Starts the program of a spec, whose streams and group are set here. The reason says why it
  /// cannot be started.
  static Result<ChildProcess> start(SpawnSpec spec);
  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }
  int exit_fd() const { return exit_fd_.get(); }  // readable when the leader has ended
  int output_fd() const { return output_fd_.get(); }
  int error_fd() const { return error_fd_.get(); }

  void signal_group(int signal) const;
  /// Returns the leader's status once it has ended, and kills what is left of its group.
  std::optional<ExitStatus> reap();
  /// Kills and reaps, after reap(), every orphan that this process inherited as its subreaper, also
  /// one that left the group. Returns how many there were.
  int kill_lingering();
  /// Returns CPU time and memory of all that was reaped.
  const Usage& usage() const { return usage_; }

 private:
  ChildProcess(pid_t pid, FileDescriptor output_fd, FileDescriptor error_fd);
  pid_t pid_ = -1;
  FileDescriptor exit_fd_;
  FileDescriptor output_fd_;
  FileDescriptor error_fd_;
  bool reaped_ = false;
  Usage usage_;
};

}  // namespace lapcast
