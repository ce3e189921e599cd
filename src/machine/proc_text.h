#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lapcast {

/// Texts of /proc, /sys and /etc, read without touching the system. A value that is not there, or
/// is no number, is absent.

std::string_view trimmed(std::string_view text);
std::vector<std::string_view> split(std::string_view text, char separator);

/// Parses a whole number with nothing but blanks around it.
std::optional<std::int64_t> parse_integer(std::string_view text);

/// Returns the value of the first "key<separator>value" line: find_field("MemTotal: 8 kB",
/// "MemTotal",
/// ':') is "8 kB". Blanks around key and value do not count.
std::optional<std::string_view> find_field(std::string_view text, std::string_view key,
                                           char separator);

struct MemoryInfo {
  std::int64_t total_bytes = 0;
  std::int64_t available_bytes = 0;
};
/// Parses /proc/meminfo.
MemoryInfo parse_meminfo(std::string_view text);

/// Returns PRETTY_NAME of /etc/os-release, else its NAME, without quotes; empty when there is
/// neither.
std::string parse_os_release(std::string_view text);

/// Returns "32768K" or "32M" of /sys/.../cache/index*/size in bytes; 0 when it is neither.
std::int64_t parse_cache_size(std::string_view text);

}  // namespace lapcast
