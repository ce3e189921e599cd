#include "import/json_members.h"

#include <charconv>
#include <cstring>

namespace lapcast {

JsonMembers::JsonMembers(std::string_view text) : at_(text.data()), end_(at_ + text.size()) {
  skip_blanks();
  if (!take('{')) fail();
}

bool JsonMembers::next() {
  if (!ok_ || over_) return false;
  skip_blanks();
  if (take('}')) {
    over_ = true;
    return false;
  }
  if (!first_ && !take(',')) return fail();
  first_ = false;
  skip_blanks();
  const auto key = take_string();
  if (!key) return fail();
  skip_blanks();
  if (!take(':')) return fail();
  skip_blanks();
  const auto value = take_value();
  if (!value) return fail();
  key_ = *key;
  value_ = *value;
  return true;
}

bool JsonMembers::fail() {
  ok_ = false;
  return false;
}

void JsonMembers::skip_blanks() {
  while (at_ != end_ && (*at_ == ' ' || *at_ == '\t' || *at_ == '\r' || *at_ == '\n')) ++at_;
}

bool JsonMembers::take(char c) {
  if (at_ == end_ || *at_ != c) return false;
  ++at_;
  return true;
}

/// Returns what stands between the quotes.
std::optional<std::string_view> JsonMembers::take_string() {
  if (!take('"')) return std::nullopt;
  const char* const begin = at_;
  while (true) {
    const auto left = static_cast<std::size_t>(end_ - at_);
    const auto* quote = static_cast<const char*>(std::memchr(at_, '"', left));
    if (quote == nullptr) return std::nullopt;
    const char* slash = quote;
    while (slash != begin && slash[-1] == '\\') --slash;
    at_ = quote + 1;
    if ((quote - slash) % 2 == 0) {
      return std::string_view(begin, static_cast<std::size_t>(quote - begin));
    }
  }
}

std::optional<std::string_view> JsonMembers::take_value() {
  if (at_ == end_) return std::nullopt;
  const char* const begin = at_;
  if (*at_ == '"') {
    if (!take_string()) return std::nullopt;
  } else if (*at_ == '{' || *at_ == '[') {
    if (!skip_nested()) return std::nullopt;
  } else {
    while (at_ != end_ && *at_ != ',' && *at_ != '}' && *at_ != ' ' && *at_ != '"') ++at_;
    if (at_ == begin) return std::nullopt;
  }
  return std::string_view(begin, static_cast<std::size_t>(at_ - begin));
}

/// Counts brackets without matching their kind.
bool JsonMembers::skip_nested() {
  int depth = 0;
  while (at_ != end_) {
    const char c = *at_;
    if (c == '"') {
      if (!take_string()) return false;
      continue;
    }
    ++at_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return true;
  }
  return false;
}

std::optional<double> json_number(std::string_view value) {
  double number = 0;
  const char* const end = value.data() + value.size();
  const auto [stop, error] = std::from_chars(value.data(), end, number);
  if (error != std::errc{} || stop != end || value.empty()) return std::nullopt;
  const char first = value.front() == '-' && value.size() > 1 ? value[1] : value.front();
  if (first < '0' || first > '9') return std::nullopt;
  return number;
}

std::optional<std::string_view> json_text(std::string_view value) {
  if (value.size() < 2 || value.front() != '"' || value.back() != '"') return std::nullopt;
  return value.substr(1, value.size() - 2);
}

}  // namespace lapcast
