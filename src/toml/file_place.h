#pragma once

#include <string>

namespace lapcast {

/// A place in a file, counted from 1.
struct FilePlace {
  unsigned line = 1;
  unsigned column = 1;
};

/// Throws Error (bad input): "FILE:LINE:COLUMN: what".
[[noreturn]] void fail_at(const std::string& file, FilePlace place, const std::string& what);

}  // namespace lapcast
