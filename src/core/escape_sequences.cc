#include "core/escape_sequences.h"

#include <re2/re2.h>

namespace lapcast {

std::string without_escapes(std::string_view text) {
  static const RE2 kEscape(R"(\x1b\[[0-9;?]*[A-Za-z])", RE2::Latin1);
  std::string result(text);
  if (text.find('\x1b') != text.npos) RE2::GlobalReplace(&result, kEscape, "");
  return result;
}

}  // namespace lapcast
