#include "run/json_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace lapcast {
namespace {

/// Calls take() with each character outside of texts.
template <class Take>
void for_each_outside(std::string_view text, Take take) {
  bool in_text = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_text && c == '\\')
      ++i;
    else if (c == '"')
      in_text = !in_text;
    else if (!in_text)
      take(c);
  }
}

}  // namespace

int json_depth(std::string_view text) {
  int depth = 0;
  int deepest = 0;
  for_each_outside(text, [&](char c) {
    if (c == '{' || c == '[') deepest = std::max(deepest, ++depth);
    if (c == '}' || c == ']') --depth;
  });
  return deepest;
}

std::int64_t json_values(std::string_view text) {
  std::int64_t values = 0;
  for_each_outside(text, [&](char c) { values += c == ',' || c == '{' || c == '['; });
  return values;
}

std::string escaped_controls(std::string json) {
  // 0x7F and 0xC2 stand within texts only: all else of JSON is ASCII without DEL.
  std::size_t at = json.find_first_of("\x7F\xC2");
  if (at == std::string::npos) return json;
  std::string result;
  for (std::size_t begin = 0;; at = json.find_first_of("\x7F\xC2", begin)) {
    const std::size_t end = std::min(at, json.size());
    result.append(json, begin, end - begin);
    if (end == json.size()) return result;
    const unsigned next = end + 1 < json.size() ? static_cast<unsigned char>(json[end + 1]) : 0;
    const bool is_del = json[end] == '\x7F';
    const bool is_control = is_del || (next >= 0x80 && next < 0xA0);
    if (is_control)
      result += fmt::format("\\u{:04x}", is_del ? 0x7Fu : next);
    else
      result += json[end];
    begin = end + (is_control && !is_del ? 2 : 1);
  }
}

}  // namespace lapcast
