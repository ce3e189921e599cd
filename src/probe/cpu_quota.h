#pragma once

#include <optional>
#include <string>
#include <utility>

#include "core/result.h"
#include "machine/cgroup_text.h"
#include "probe/cgroup.h"

namespace lapcast {

/// Holds the processes of a probe to an amount of CPU time per wall time, with cgroups of version 1
/// (cpu.cfs_quota_us) or 2 (cpu.max). The period is 10 ms, longer where the quota would be below
/// the kernel's least (1 ms), so that laps of a few tens of milliseconds see an even speed.
class CpuQuota {
 public:
  /// Sets no quota: procs_fd() is none, kill_all() finds nobody, throttling() is zero.
  CpuQuota() = default;
  /// Sets a quota of `cpus`: 0.5 = half a CPU; at least 0.001. The reason says what to do, as when
  /// no cgroup is writable. `root` as in machine/system_cgroup.h.
  static Result<CpuQuota> create(double cpus, const std::string& root = "",
                                 const CgroupKernel& kernel = CgroupKernel::real());

  /// Returns the descriptor for SpawnSpec::cgroup_procs_fd; none without a quota.
  std::optional<int> procs_fd() const {
    return group_ ? std::optional(group_->procs_fd()) : std::nullopt;
  }
  /// Kills every process under the quota; returns how many were seen.
  int kill_all() const { return group_ ? group_->kill_all() : 0; }
  /// Returns the directory of the cgroup; empty = no quota.
  std::string directory() const { return group_ ? group_->directory() : std::string{}; }

  /// Returns how much the quota held the probe back until now. The reason says that something else,
  /// such as systemd, took the quota away: the laps were not measured under it.
  Result<Throttling> throttling() const;

  /// Removes the cgroups that killed lapcasts left behind. Returns how many there were.
  static int remove_stale(const std::string& root = "",
                          const CgroupKernel& kernel = CgroupKernel::real());

 private:
  CpuQuota(Cgroup group, int version, std::string limit)
      : group_(std::move(group)), version_(version), limit_(std::move(limit)) {}
  std::optional<Cgroup> group_;
  int version_ = 0;
  std::string limit_;  // as the kernel's file says it
};

}  // namespace lapcast
