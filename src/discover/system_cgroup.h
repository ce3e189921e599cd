#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"

namespace lapcast {

// `root` is put in front of every path below. It is "" for this machine; tests pass a folder.

/// Says where this process is in the cgroup hierarchy that has a controller.
struct CgroupPlace {
  int version = 0;          // 1 or 2
  std::string mount_point;  // without `root`
  std::string directory;    // of this process; mount_point or below it
};
/// Returns the place for a controller ("cpu", "memory"); none when no hierarchy has it.
std::optional<CgroupPlace> find_cgroup(const std::string& controller, const std::string& root);

/// Returns the place's directory and those above it up to the mount point, nearest first, with
/// `root`.
std::vector<std::string> directories_upwards(const CgroupPlace& place, const std::string& root);

/// Returns the tightest limit of all cgroups that this process is in, as a number of CPUs; none =
/// no limit.
std::optional<double> cgroup_cpu_limit(const std::string& root);
/// Returns the tightest memory limit of these cgroups in bytes; none = no limit.
std::optional<std::int64_t> cgroup_memory_limit(const std::string& root);

/// Returns how many bytes of main memory a program may take now before the machine swaps or the
/// kernel kills: what the system calls available, or less where a cgroup of this process has less
/// left, files that it can drop not counted. 0 = not known.
std::int64_t available_memory(const std::string& root);

/// Describes a cgroup under which this user can make a new one with a CPU quota.
struct QuotaParent {
  int version = 0;
  std::string directory;    // with `root`
  bool enable_cpu = false;  // version 2: "+cpu" has to be written to its cgroup.subtree_control
};

/// Returns the nearest cgroup, of those that this process is in, under which a quota can be set.
/// Judges by permissions only and changes nothing. The reason says what the user can do.
Result<QuotaParent> find_quota_parent(const std::string& root);

/// Returns the nearest of these cgroups under which one with a limit of memory can be made; none
/// where there is none. Changes nothing.
std::optional<QuotaParent> find_memory_parent(const std::string& root);

}  // namespace lapcast
