#pragma once

#include <cstdio>
#include <cstdlib>
#include <string>

namespace lapcast {

/// Ends a benchmark whose folder holds nothing that it reads: it says what was looked for, prints
/// no figure, and has exit code 3 (bad input).
[[noreturn]] inline void no_data_in(const std::string& folder, const std::string& wanted) {
  std::fflush(stdout);
  std::fprintf(stderr, "no figure: '%s' holds no %s\n", folder.c_str(), wanted.c_str());
  std::exit(3);
}

}  // namespace lapcast
