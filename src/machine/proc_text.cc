#include "machine/proc_text.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace lapcast {
namespace {

std::string unquoted(std::string_view value) {
  if (value.size() >= 2 && (value.front() == '"' || value.front() == '\'') &&
      value.back() == value.front()) {
    value = value.substr(1, value.size() - 2);
  }
  std::string text;
  for (std::size_t i = 0; i < value.size(); ++i) {
    if (value[i] == '\\' && i + 1 < value.size()) ++i;
    text += value[i];
  }
  return text;
}

/// Returns a path of mountinfo, which writes blanks and backslashes as octal escapes such as \040.
std::string unescaped(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const std::string_view digits = text.substr(i).substr(0, 4);
    const char* end = digits.data() + digits.size();
    const bool is_escape = text[i] == '\\' && digits.size() == 4 &&
                           std::from_chars(digits.data() + 1, end, code, 8).ptr == end;
    out += is_escape ? static_cast<char>(code) : text[i];
    if (is_escape) i += 3;
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
  if (back[0] != "cgroup" && back[0] != "cgroup2") return std::nullopt;
  mount.version = back[0] == "cgroup2" ? 2 : 1;
  if (mount.version == 1)
    for (const std::string_view option : split(back[2], ','))
      mount.controllers.emplace_back(option);
  return mount;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

bool has_word(std::string_view text, std::string_view word, char separator) {
  const auto words = split(text, separator);
  return std::ranges::find(words, word) != words.end();
}

std::optional<std::int64_t> parse_integer(std::string_view text) {
  text = trimmed(text);
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<std::string_view> find_field(std::string_view text, std::string_view key,
                                           char separator) {
  for (const std::string_view line : split(text, '\n')) {
    const std::size_t end = line.find(separator);
    if (end != std::string_view::npos && trimmed(line.substr(0, end)) == key) {
      return trimmed(line.substr(end + 1));
    }
  }
  return std::nullopt;
}

std::int64_t find_kibibytes(std::string_view text, std::string_view key) {
  const auto value = find_field(text, key, ':');
  if (!value) return 0;
  const auto number = parse_integer(value->substr(0, value->find(' ')));
  if (!number || *number < 0 || *number > INT64_MAX / 1024) return 0;
  return *number * 1024;
}

std::optional<CpuTicks> parse_cpu_ticks(std::string_view proc_stat, const std::vector<int>& cpus) {
  // user nice system idle iowait irq softirq steal
  constexpr std::size_t kIdle = 4, kDisk = 5, kSteal = 8;
  CpuTicks ticks;
  std::size_t found = 0;
  for (const std::string_view line : split(proc_stat, '\n')) {
    if (!line.starts_with("cpu") || line.starts_with("cpu ")) continue;
    const auto words = split(line, ' ');
    const auto cpu = parse_integer(words[0].substr(3));
    const bool wanted = cpu && (cpus.empty() || std::ranges::find(cpus, *cpu) != cpus.end());
    if (!wanted) continue;
    for (std::size_t i = 1; i < words.size() && i <= kSteal; ++i) {
      const auto value = parse_integer(words[i]);
      if (!value || *value < 0) return std::nullopt;
      if (i == kSteal)
        ticks.steal += *value;
      else if (i != kIdle && i != kDisk)
        ticks.busy += *value;
    }
    ++found;
  }
  if (found == 0 || found < cpus.size()) return std::nullopt;
  return ticks;
}

std::optional<ThreadTimes> parse_schedstat(std::string_view text) {
  const auto words = split(trimmed(text), ' ');
  if (words.size() < 2) return std::nullopt;
  const auto run = parse_integer(words[0]);
  const auto delay = parse_integer(words[1]);
  if (!run || !delay || *run < 0 || *delay < 0) return std::nullopt;
  return ThreadTimes{*run, *delay};
}

std::optional<std::int64_t> parse_pressure(std::string_view text) {
  constexpr std::string_view kKey = "total=";
  const std::string_view line = text.substr(0, text.find('\n'));
  const std::size_t at = line.find(kKey);
  if (!line.starts_with("some ") || at == line.npos) return std::nullopt;
  return parse_integer(line.substr(at + kKey.size()));
}

std::optional<std::int64_t> parse_throttled_ns(std::string_view cpu_stat) {
  if (const auto us = find_field(cpu_stat, "throttled_usec", ' ')) {
    const auto value = parse_integer(*us);
    if (!value || *value < 0 || *value > INT64_MAX / 1000) return std::nullopt;
    return *value * 1000;
  }
  const auto ns = find_field(cpu_stat, "throttled_time", ' ');
  return ns ? parse_integer(*ns) : std::nullopt;
}

std::string parse_os_release(std::string_view text) {
  for (const std::string_view key : {"PRETTY_NAME", "NAME"}) {
    const auto value = find_field(text, key, '=');
    if (value && !value->empty()) return unquoted(*value);
  }
  return {};
}

std::int64_t parse_cache_size(std::string_view text) {
  text = trimmed(text);
  if (text.empty()) return 0;
  const std::int64_t unit = text.back() == 'K' ? 1024 : text.back() == 'M' ? 1024 * 1024 : 0;
  const auto number = parse_integer(text.substr(0, text.size() - 1));
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  return unit != 0 && number && *number > 0 && *number < kMost ? *number * unit : 0;
}

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
    if (has_word(line.substr(first + 1, second - first - 1), controller, ','))
      return std::string(line.substr(second + 1));
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
  if (parts.size() != 2) return std::nullopt;
  const auto quota = parse_integer(parts[0]);
  const auto period = parse_integer(parts[1]);
  if (!quota || !period || *quota <= 0 || *period <= 0) return std::nullopt;
  return static_cast<double>(*quota) / static_cast<double>(*period);
}

std::optional<std::int64_t> parse_memory_limit(std::string_view text) {
  constexpr std::int64_t kNoLimit = std::int64_t{1} << 62;
  const auto bytes = parse_integer(text);
  if (!bytes || *bytes < 0 || *bytes >= kNoLimit) return std::nullopt;
  return bytes;
}

}  // namespace lapcast
