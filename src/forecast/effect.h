#pragma once

#include <string>
#include <string_view>

#include "core/seconds.h"

namespace lapcast {

/// What can make a run longer than its steady laps.
enum class EffectKind {
  start_up,      // a large share of the run is gone before the first lap
  warm_up,       // the first laps
  slow_epochs,   // whole epochs at the begin: caches that fill, data read the first time
  stalls,        // single laps far above the rest
  drift,         // steady laps that slowly change
  level_change,  // the work per lap changed, as found in the laps
  phases,        // the same, as the program reported it
  validation,
  first_validation,       // costs something else than later ones
  overlapped_validation,  // runs beside laps
  epoch_overhead,
  checkpoints,
};
std::string_view to_string(EffectKind kind);  // "slow first epochs"

/// One effect that was found in a run. docs/forecast.md says how, and how large it has to be.
struct Effect {
  EffectKind kind = EffectKind::start_up;
  std::string what;      // in plain words
  Seconds time{0};       // of what was seen: what the run would save without the effect; of phases
                         // and changed levels what lies before the last one
  double share = 0;      // of all time seen, from the start of the process to its last event
  std::string forecast;  // what the forecast makes of it
};

}  // namespace lapcast
