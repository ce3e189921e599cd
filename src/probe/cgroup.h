#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// How cgroups are made and removed. A cgroup file system fills a new directory with the kernel's
/// files and removes it with them; tests, on a common file system, do so themselves. Both return 0
/// or errno.
struct CgroupKernel {
  std::function<int(const std::string& directory)> make;
  std::function<int(const std::string& directory)> remove;
  static const CgroupKernel& real();
};

/// A cgroup of our own, named lapcast-<pid>-<n>, for the processes of one probe. While it lives, a
/// lock on its directory says that it is in use; the lock ends with this process, however it ends.
/// The destructor kills what is left in the cgroup and removes it. Not copyable.
class Cgroup {
 public:
  /// Below the cgroup `parent`, a directory. The reason names it and the system's error.
  static Result<Cgroup> create(const std::string& parent,
                               const CgroupKernel& kernel = CgroupKernel::real());
  Cgroup(Cgroup&& other) noexcept { swap(other); }
  Cgroup& operator=(Cgroup&& other) noexcept;
  ~Cgroup();

  const std::string& directory() const { return directory_; }
  /// Open for writing: a child writes "0" into it between fork and exec to join. Close-on-exec.
  int procs_fd() const { return procs_fd_; }
  /// Moves a process in with all its threads. The reason when the kernel refuses.
  Result<bool> add(pid_t pid) const;
  /// Kills every process in it and waits until they are gone, about a second at most. Returns how
  /// many were seen.
  int kill_all() const;

 private:
  Cgroup(std::string directory, int lock_fd, int procs_fd, const CgroupKernel& kernel);
  void swap(Cgroup& other) noexcept;
  std::string directory_;
  int lock_fd_ = -1;
  int procs_fd_ = -1;
  const CgroupKernel* kernel_ = nullptr;
};

/// For the child between fork and exec: only async-signal-safe calls. False with errno when
/// refused.
bool join_cgroup(int procs_fd);

/// Removes the cgroups below `parent` whose lapcast was killed, with what still runs in them.
/// Returns how many.
int remove_stale_cgroups(const std::string& parent,
                         const CgroupKernel& kernel = CgroupKernel::real());

/// The processes in a cgroup, as this process sees them.
std::vector<pid_t> processes_in(const std::string& directory);

}  // namespace lapcast
