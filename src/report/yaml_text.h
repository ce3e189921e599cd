#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Text as a double-quoted YAML scalar on one line (YAML 1.2, 7.3.1): pure ASCII, and always text,
/// never a number, a date or `yes`. Readers of YAML 1.1 and 1.2 give the same text back. `text` is
/// valid UTF-8.
std::string yaml_scalar(std::string_view text);

/// Text as the value of a key that stands at the left edge: a literal block (8.1.2) where all its
/// lines are printable ASCII, not empty and not indented, else a scalar. `text` ends with a line
/// break.
std::string yaml_block(std::string_view text);

/// Lines that begin with "# ", of any bytes: what is not printable or not valid UTF-8 becomes '?'.
/// Broken between words after 98 columns.
std::string yaml_comment(std::string_view text);

}  // namespace lapcast
