#include "machine/cgroup_text.h"

#include <algorithm>
#include <utility>

#include "machine/proc_text.h"

namespace lapcast {
namespace {

/// Returns a path of mountinfo, which writes blanks and backslashes as octal escapes such as \040.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto digit = [&](std::size_t k) {
      return i + k < text.size() && text[i + k] >= '0' && text[i + k] <= '7' ? text[i + k] - '0'
                                                                             : -1;
    };
    if (text[i] == '\\' && digit(1) >= 0 && digit(2) >= 0 && digit(3) >= 0) {
      out += static_cast<char>(digit(1) * 64 + digit(2) * 8 + digit(3));
      i += 3;
    } else {
      out += text[i];
    }
  }
  return out;
}

/// Parses a line "ID PARENT DEV ROOT MOUNT-POINT OPTIONS TAGS... - TYPE SOURCE SUPER-OPTIONS".
std::optional<CgroupMount> parse_mount(std::string_view line) {
  const std::size_t dash = line.find(" - ");
  if (dash == std::string_view::npos) return std::nullopt;
  const auto front = split(line.substr(0, dash), ' ');
  const auto back = split(line.substr(dash + 3), ' ');
  if (front.size() < 6 || back.size() < 3) return std::nullopt;
  CgroupMount mount{0, {}, unescaped(front[3]), unescaped(front[4])};
  if (back[0] == "cgroup2") mount.version = 2;
  if (back[0] == "cgroup") {
    mount.version = 1;
    for (const std::string_view option : split(back[2], ','))
      mount.controllers.emplace_back(option);
  }
  if (mount.version == 0) return std::nullopt;
  return mount;
}

std::int64_t number_of(std::string_view text, std::string_view key) {
  const auto value = find_field(text, key, ' ');
  return value ? parse_integer(*value).value_or(0) : 0;
}

}  // namespace

std::vector<CgroupMount> parse_cgroup_mounts(std::string_view mountinfo) {
  std::vector<CgroupMount> mounts;
  for (const std::string_view line : split(mountinfo, '\n')) {
    if (auto mount = parse_mount(line)) mounts.push_back(std::move(*mount));
  }
  return mounts;
}

std::optional<std::string> parse_cgroup_path(std::string_view proc_cgroup,
                                             std::string_view controller) {
  for (const std::string_view line : split(proc_cgroup, '\n')) {  // "4:cpu,cpuacct:/path"
    const std::size_t first = line.find(':');
    const std::size_t second = line.find(':', first + 1);
    if (first == std::string_view::npos || second == std::string_view::npos) continue;
    const auto names = split(line.substr(first + 1, second - first - 1), ',');
    if (std::find(names.begin(), names.end(), controller) != names.end()) {
      return std::string(line.substr(second + 1));
    }
  }
  return std::nullopt;
}

std::string cgroup_directory(const CgroupMount& mount, const std::string& path) {
  const std::string root = mount.root == "/" ? "" : mount.root;
  const bool below = path.starts_with(root) &&
                     (path.size() == root.size() || path[root.size()] == '/') &&
                     path.find("/..") == std::string::npos;
  const std::string rest = below ? path.substr(root.size()) : "";
  return rest == "/" ? mount.mount_point : mount.mount_point + rest;
}

std::optional<double> parse_cpu_max(std::string_view cpu_max) {
  const auto parts = split(trimmed(cpu_max), ' ');
  return parts.size() == 2 ? parse_cfs_quota(parts[0], parts[1]) : std::nullopt;
}

std::optional<double> parse_cfs_quota(std::string_view quota_us, std::string_view period_us) {
  const auto quota = parse_integer(quota_us);
  const auto period = parse_integer(period_us);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::int64_t> parse_memory_limit(std::string_view text) {
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;
  const auto bytes = parse_integer(text);
  if (!bytes || *bytes < 0 || *bytes >= kNoLimit) return std::nullopt;
  return bytes;
}

Throttling parse_cpu_stat(std::string_view text) {
  Throttling seen;
  seen.periods = number_of(text, "nr_periods");
  seen.throttled_periods = number_of(text, "nr_throttled");
  seen.throttled_ns = number_of(text, "throttled_time");
  if (seen.throttled_ns == 0) seen.throttled_ns = number_of(text, "throttled_usec") * 1000;
  return seen;
}

}  // namespace lapcast
