#pragma once

#include <optional>
#include <string>

#include "app/rank_runs.h"
#include "core/seconds.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Returns the time that an option has, or nothing when it was not given. Throws Error (usage).
std::optional<Seconds> duration_of(const char* name, const std::string& text);

/// Holds the options that say what interruptions of spot machines do to a training.
struct SpotOptions {
  std::string checkpoint, interval, restart;       // empty = not given
  std::string trace, between_interruptions, wait;  // empty = not given
  bool saves_at_notice = false;

  void add_to(CLI::App& app);
  /// Adds the assumptions and the trace to a request. Throws Error (usage) for a text that is no
  /// time, and for options that contradict each other.
  void fill_in(RankRequest& request) const;
};

}  // namespace lapcast
