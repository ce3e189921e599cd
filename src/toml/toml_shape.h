#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Names a place in a file, counted from 1.
struct FilePlace {
  unsigned line = 1;
  unsigned column = 1;
};

/// Throws Error (bad input): "FILE:LINE:COLUMN: what".
[[noreturn]] void fail_at(const std::string& file, FilePlace place, const std::string& what);

/// Refuses, with Error (bad input), input that the TOML library does not handle safely: control
/// characters, non-ASCII letters outside quotes and comments or in multi-line strings (its
/// character tables have gaps for these), quotes in the middle of a word or behind a dot (in a
/// broken value they do not quote), more than 200 dots outside quotes in a line (each makes a table
/// in a table), and more than 1 MiB. No file of lapcast needs any of these.
void check_toml_shape(std::string_view text, const std::string& file);

}  // namespace lapcast
