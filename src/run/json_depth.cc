#include "run/json_depth.h"

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

}  // namespace lapcast
