#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

// The functions below read texts of /proc, /sys and /etc without touching the system. A value that
// is not in the text, or is not a number, is absent.

/// Returns a text without the blanks and line breaks around it.
std::string_view trimmed(std::string_view text);
/// Returns the parts between the separators; an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Returns whether `word` is one of the parts of a text that split() returns.
bool has_word(std::string_view text, std::string_view word, char separator = ' ');

/// Parses a whole number with nothing but blanks around it.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Returns the value of the first "key<separator>value" line, without the blanks around it:
/// find_field("MemTotal: 8 kB", "MemTotal", ':') is "8 kB".
std::optional<std::string_view> find_field(std::string_view text, std::string_view key,
                                           char separator);

/// Returns the value of a "key: 8 kB" line in bytes; 0 when there is none.
std::int64_t find_kibibytes(std::string_view text, std::string_view key);

/// Returns PRETTY_NAME of /etc/os-release, else its NAME, without quotes; empty when there is
/// neither.
std::string parse_os_release(std::string_view text);

/// Parses the size in /sys/.../cache/index*/size, such as "32768K" or "32M". Returns bytes; 0 when
/// the text is neither.
std::int64_t parse_cache_size(std::string_view text);

/// Counts clock ticks of some CPUs, since the boot.
struct CpuTicks {
  std::int64_t busy = 0;   // of all but idling and waiting for disks
  std::int64_t steal = 0;  // in which the host ran something else
};
/// Sums the ticks of these CPUs in /proc/stat, or of all CPUs if `cpus` is empty. Returns none when
/// one of them is missing.
std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat, const std::vector<int>& cpus);

/// Holds how long a thread has run, and has waited for a CPU, in nanoseconds since its start.
struct ThreadTimes {
  std::int64_t run_ns = 0;
  std::int64_t delay_ns = 0;
};
/// Parses /proc/PID/task/TID/schedstat.
std::optional<ThreadTimes> parse_schedstat(std::string_view text);

/// Returns the microseconds since the boot in which some process was stalled, from a file of
/// /proc/pressure.
std::optional<std::int64_t> parse_pressure(std::string_view text);

/// Returns how long a CPU quota has kept the processes of a cgroup waiting, in nanoseconds, from
/// its cpu.stat of either version.
std::optional<std::int64_t> parse_throttled_ns(std::string_view cpu_stat);

/// Describes a mounted cgroup hierarchy, from /proc/self/mountinfo (cgroups(7), proc(5), the
/// kernel's admin-guide/cgroup-v2).
struct CgroupMount {
  int version = 0;                       // 1 or 2
  std::vector<std::string> controllers;  // of version 1; version 2 has them in cgroup.controllers
  std::string root;                      // the cgroup that is seen at mount_point, "/" = all
  std::string mount_point;
};
/// Returns all mounted cgroup hierarchies, in the order of the text.
std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);

/// Returns the path of this process's cgroup in /proc/self/cgroup. Looks in the version 1 hierarchy
/// of `controller`, or in the version 2 hierarchy when `controller` is "". Returns none when the
/// process is in no such hierarchy.
std::optional<std::string> parse_cgroup_path(std::string_view proc_cgroup,
                                             std::string_view controller);

/// Returns the directory of a cgroup: its path below the mount, as far as the mount shows it.
std::string cgroup_directory(const CgroupMount& mount, const std::string& path);

/// Parses cpu.max of version 2, which has a quota and a period: "50000 100000" allows 0.5 CPUs.
/// Returns the number of CPUs; none for "max 100000", which has no limit.
std::optional<double> parse_cpu_max(std::string_view cpu_max);

/// Parses memory.max or memory.limit_in_bytes. Returns bytes; none = no limit. Version 1 has no
/// word for "no limit" and writes the largest number of pages instead.
std::optional<std::int64_t> parse_memory_limit(std::string_view text);

}  // namespace lapcast
