#pragma once

#include "app/repeat_runs.h"
#include "cli/probe_options.h"

namespace lapcast {

/// Holds the options that repeat a program, as text until they are checked.
struct RepeatOptions {
  std::size_t repeats = 10;
  bool again = false;
  bool keep = false;
  ProbeOptions start;  // only what add_end_to() adds

  void add_to(CLI::App& app);
  RepeatRule rule() const { return {.at_least = repeats}; }
  /// Returns a request that refers to these options, which must outlive it.
  RepeatRequest request() const;
};

}  // namespace lapcast
