#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

// The functions below read texts of /proc, /sys and /etc without touching the system. A value that
// is not in the text, or is no number, is absent.

/// Returns a text without the blanks and line breaks around it.
std::string_view trimmed(std::string_view text);
/// Returns the parts between the separators; an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);
/// Returns whether a word stands in a text between separators or at its ends.
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

/// Returns "32768K" or "32M" of /sys/.../cache/index*/size in bytes; 0 when it is neither.
std::int64_t parse_cache_size(std::string_view text);

/// Describes a mounted cgroup hierarchy, from /proc/self/mountinfo (cgroups(7), proc(5), the
/// kernel's admin-guide/cgroup-v2).
struct CgroupMount {
  int version = 0;                       // 1 or 2
  std::vector<std::string> controllers;  // of version 1; version 2 has them in cgroup.controllers
  std::string root;                      // the cgroup that is seen at mount_point, "/" = all
  std::string mount_point;
};
std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo);

/// Returns the path of this process from /proc/self/cgroup, in the version 1 hierarchy of a
/// controller, or in the one of version 2 when `controller` is ""; none when the process is in no
/// such hierarchy.
std::optional<std::string> parse_cgroup_path(std::string_view proc_cgroup,
                                             std::string_view controller);

/// Returns the directory of a cgroup: its path below the mount, as far as the mount shows it.
std::string cgroup_directory(const CgroupMount& mount, const std::string& path);

/// Returns the CPUs that "max 100000" or "50000 100000" (version 2: quota and period) allows; none
/// = no limit.
std::optional<double> parse_cpu_max(std::string_view cpu_max);

/// Returns the bytes that memory.max or memory.limit_in_bytes allow; none = no limit. Version 1
/// writes "no limit" as the largest number of pages.
std::optional<std::int64_t> parse_memory_limit(std::string_view text);

}  // namespace lapcast
