#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// The kernel's texts about control groups, read without touching the system (cgroups(7),
/// proc(5), the kernel's admin-guide/cgroup-v2).

/// Describes a mounted cgroup hierarchy, from /proc/self/mountinfo.
struct CgroupMount {
  int version = 0;                       // 1 or 2
  std::vector<std::string> controllers;  // of version 1; version 2 says them in cgroup.controllers
  std::string root;                      // the cgroup that is seen at mount_point, "/" = all
  std::string mount_point;
};
std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);

/// Returns the path of this process in the version 1 hierarchy of a controller, or in that of
/// version 2 when it is "", from /proc/self/cgroup; none when the process is in no such hierarchy.
std::optional<std::string> parse_cgroup_path(std::string_view proc_cgroup,
                                             std::string_view controller);

/// Returns the directory of a cgroup: its path below the mount, as far as the mount shows it.
std::string cgroup_directory(const CgroupMount& mount, const std::string& path);

/// Returns the CPUs that "max 100000" / "50000 100000" (version 2) or quota and period (version 1)
/// allow; none = no limit.
std::optional<double> parse_cpu_max(std::string_view cpu_max);
std::optional<double> parse_cfs_quota(std::string_view quota_us, std::string_view period_us);

/// Returns the bytes that memory.max or memory.limit_in_bytes allow; none = no limit. Version 1
/// writes "no limit" as the largest number of pages.
std::optional<std::int64_t> parse_memory_limit(std::string_view text);

/// Says how often and how long a quota held a cgroup back: cpu.stat of either version.
struct Throttling {
  std::int64_t periods = 0;
  std::int64_t throttled_periods = 0;
  std::int64_t throttled_ns = 0;  // summed over CPUs
  friend bool operator==(const Throttling&, const Throttling&) = default;
};
Throttling parse_cpu_stat(std::string_view text);

}  // namespace lapcast
