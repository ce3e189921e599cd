#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// `root` goes before every path below, "" in earnest; tests give a folder with files of their own.

/// Says where this process is in the hierarchy that has a controller.
struct CgroupPlace {
  int version = 0;          // 1 or 2
  std::string mount_point;  // without `root`
  std::string directory;    // of this process; mount_point or below it
};
std::optional<CgroupPlace> find_cgroup(const std::string& controller, const std::string& root);

/// Returns the place's directory and those above it up to the mount point, nearest first, with
/// `root`.
std::vector<std::string> directories_upwards(const CgroupPlace& place, const std::string& root);

/// Returns the tightest limit of all cgroups that this process is in; none = no limit.
std::optional<double> cgroup_cpu_limit(const std::string& root);
std::optional<std::int64_t> cgroup_memory_limit(const std::string& root);

/// Returns the version that has the CPU controller, 1 or 2; 0 when none is mounted.
int cgroup_version(const std::string& root);

/// Describes a cgroup under which a new one with a CPU quota can be made by this user.
struct QuotaParent {
  int version = 0;
  std::string directory;    // with `root`
  bool enable_cpu = false;  // version 2: "+cpu" has to be written to its cgroup.subtree_control
};

/// Returns the nearest such cgroup that this process is in. Judges by permissions only and changes
/// nothing. The reason says what to do.
Result<QuotaParent> find_quota_parent(const std::string& root);

}  // namespace lapcast
