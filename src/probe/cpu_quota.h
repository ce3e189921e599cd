#pragma once

#include <sys/types.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "posix/files.h"

namespace lapcast {

/// Makes and removes cgroups; both functions return 0 or errno. A cgroup file system creates and
/// removes the kernel's files with their directory; tests on an ordinary file system do so
/// themselves.
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
  /// Makes a cgroup below the cgroup directory `parent`. The reason names `parent` and the system's
  /// error.
  static Result<std::unique_ptr<Cgroup>> create(const std::string& parent,
                                                const CgroupKernel& kernel = CgroupKernel::real());
  Cgroup(const Cgroup&) = delete;
  Cgroup& operator=(const Cgroup&) = delete;
  ~Cgroup();

  const std::string& directory() const { return directory_; }
  /// Returns the descriptor for SpawnSpec::cgroup_procs_fds.
  int procs_fd() const { return procs_.get(); }
  /// Kills every process in the cgroup and waits until they are gone, about a second at most.
  /// Returns how many were seen.
  int kill_all() const;

 private:
  Cgroup(std::string directory, FileDescriptor lock, const CgroupKernel& kernel)
      : directory_(std::move(directory)), lock_(std::move(lock)), kernel_(kernel) {}
  std::string directory_;
  FileDescriptor lock_;
  FileDescriptor procs_;
  const CgroupKernel& kernel_;
};

/// Returns the processes in a cgroup, as this process sees them.
std::vector<pid_t> processes_in(const std::string& directory);

/// Limits the processes of a probe to an amount of CPU time per wall time, with cgroups of version
/// 1 (cpu.cfs_quota_us) or 2 (cpu.max). The period is 10 ms, so that laps of a few tens of
/// milliseconds see an even speed; it is longer where the quota would be below the kernel's minimum
/// (1 ms).
class CpuQuota {
 public:
  /// Sets no quota: procs_fd() is none.
  CpuQuota() = default;
  /// Sets a quota of `cpus` CPUs, at least 0.001: 0.5 is half a CPU. The reason says what the user
  /// can do, for example when no cgroup is writable. `root` is that of discover/system_cgroup.h.
  static Result<CpuQuota> create(double cpus, const std::string& root = "",
                                 const CgroupKernel& kernel = CgroupKernel::real());

  /// Returns the descriptor for SpawnSpec::cgroup_procs_fds; none without a quota.
  std::optional<int> procs_fd() const {
    return group_ ? std::optional(group_->procs_fd()) : std::nullopt;
  }
  /// Moves every process under the quota into this process's own cgroup, so that it lives on when
  /// the quota ends. `root` is that of create().
  void release(const std::string& root = "") const;
  /// Returns the directory of the cgroup; empty = no quota.
  std::string directory() const { return group_ ? group_->directory() : std::string{}; }

  /// Returns a reason when something else, such as systemd, took the quota away. The laps were then
  /// not measured under the quota.
  Result<void> check_unchanged() const;

  /// Removes the cgroups that killed lapcasts left behind, and kills what still runs in them.
  /// Returns how many there were.
  static int remove_stale(const std::string& root = "",
                          const CgroupKernel& kernel = CgroupKernel::real());

 private:
  CpuQuota(std::unique_ptr<Cgroup> group, int version, std::string limit)
      : group_(std::move(group)), version_(version), limit_(std::move(limit)) {}
  std::unique_ptr<Cgroup> group_;
  int version_ = 0;
  std::string limit_;  // the text of the kernel's file
};

}  // namespace lapcast
