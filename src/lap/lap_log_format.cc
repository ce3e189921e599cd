#include "lap/lap_log_format.h"

#include <charconv>
#include <utility>

namespace lapcast {

std::string_view WordReader::next() {
  const std::size_t space = rest_.find(' ');
  const std::string_view word = rest_.substr(0, space);
  done_ = space == std::string_view::npos;
  rest_ = done_ ? std::string_view() : rest_.substr(space + 1);
  return word;
}

std::string_view WordReader::rest() {
  done_ = true;
  return std::exchange(rest_, std::string_view());
}

std::optional<Field> parse_field(std::string_view word) {
  const std::size_t sign = word.find('=');
  if (sign == std::string_view::npos || sign == 0) return std::nullopt;
  return Field{word.substr(0, sign), word.substr(sign + 1)};
}

std::optional<std::int64_t> parse_count(std::string_view word, std::int64_t most) {
  if (word.empty() || word.size() > kMaxNumberDigits) return std::nullopt;
  std::int64_t count = 0;
  for (const char c : word) {
    if (c < '0' || c > '9') return std::nullopt;
    count = count * 10 + (c - '0');
  }
  if (count > most) return std::nullopt;
  return count;
}

std::optional<double> parse_value(std::string_view word) {
  double value = 0;
  const char* const end = word.data() + word.size();
  const auto [stop, error] = std::from_chars(word.data(), end, value);
  if (error != std::errc() || stop != end || word.ends_with(')')) return std::nullopt;
  return value;
}

}  // namespace lapcast
