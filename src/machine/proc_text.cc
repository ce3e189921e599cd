#include "machine/proc_text.h"

#include <charconv>

namespace lapcast {
namespace {

std::int64_t kibibytes(std::string_view text, std::string_view key) {
  const auto value = find_field(text, key, ':');
  if (!value) return 0;
  const auto number = parse_integer(value->substr(0, value->find(' ')));
  if (!number || *number < 0 || *number > INT64_MAX / 1024) return 0;
  return *number * 1024;
}

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

MemoryInfo parse_meminfo(std::string_view text) {
  return {kibibytes(text, "MemTotal"), kibibytes(text, "MemAvailable")};
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

}  // namespace lapcast
