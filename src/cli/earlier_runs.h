#pragma once

#include <span>

#include "choose/track_record.h"
#include "store/store.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Whether forecasts learn from the store's finished runs of the same program.
struct EarlierRuns {
  bool alone = false;  // --alone

  void add_to(CLI::App& command);
  /// Of the programs of these runs; empty with --alone.
  TrackRecord of(const Store& store, std::span<const Run* const> runs) const;
};

}  // namespace lapcast
