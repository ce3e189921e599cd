#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Refuses, with Error (bad input), what the TOML library is not safe with: control characters,
/// non-ASCII letters outside quotes and comments or in multi-line strings (its character tables
/// have holes there), quotes in the middle of a word or behind a dot (in a broken value they are
/// none), more than 200 dots outside quotes in a line (each makes a table in a table), more than
/// 1 MiB. No file of ours needs any of it.
void check_toml_shape(std::string_view text, const std::string& file);

}  // namespace lapcast
