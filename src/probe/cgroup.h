#pragma once

#include <sys/types.h>

#include <functional>
#include <string>
#include <vector>

#include "core/result.h"
#include "posix/file_descriptor.h"

namespace lapcast {

/// Makes and removes cgroups. A cgroup file system fills a new directory with the kernel's
/// files and removes it with them; tests, on a common file system, do so themselves. Both return 0
/// or errno.
struct CgroupKernel {
  std::function<int(const std::string& directory)> make;
  std::function<int(const std::string& directory)> remove;
  static const CgroupKernel& real();
};

/// Owns a cgroup, named lapcast-<pid>-<n>, for the processes of one probe. While it lives, a lock
/// on its directory says that it is in use; the lock ends with this process, however it ends. The
/// destructor kills what is left in the cgroup and removes it.
class Cgroup {
 public:
  /// Makes a cgroup below the cgroup `parent`, a directory. The reason names it and the system's
  /// error.
  static Result<Cgroup> create(const std::string& parent,
                               const CgroupKernel& kernel = CgroupKernel::real());
  Cgroup(Cgroup&& other) noexcept { swap(other); }
  Cgroup& operator=(Cgroup&& other) noexcept;
  ~Cgroup();

  const std::string& directory() const { return directory_; }
  /// Returns the descriptor for SpawnSpec::cgroup_procs_fd.
  int procs_fd() const { return procs_.get(); }
  /// Moves a process in with all its threads. The reason says why the kernel refuses.
  Result<bool> add(pid_t pid) const;
  /// Kills every process in the cgroup and waits until they are gone, about a second at most.
  /// Returns how many were seen.
  int kill_all() const;

 private:
  Cgroup(std::string directory, FileDescriptor lock, FileDescriptor procs,
         const CgroupKernel& kernel);
  void swap(Cgroup& other) noexcept;
  std::string directory_;
  FileDescriptor lock_;
  FileDescriptor procs_;
  const CgroupKernel* kernel_ = nullptr;
};

/// Removes the cgroups below `parent` whose lapcast was killed, and kills what still runs in them.
/// Returns how many there were.
int remove_stale_cgroups(const std::string& parent,
                         const CgroupKernel& kernel = CgroupKernel::real());

/// Returns the processes in a cgroup, as this process sees them.
std::vector<pid_t> processes_in(const std::string& directory);

}  // namespace lapcast
