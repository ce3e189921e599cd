#pragma once

#include <string>
#include <string_view>

#include "core/seconds.h"
#include "forecast/part_kind.h"

namespace lapcast {

/// Names what can make a run longer than its steady laps.
enum class EffectKind {
  start_up,      // a large share of the run passes before the first lap
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

/// One row of the table of effects: what is said of an effect, and the part of a forecast that
/// counts it.
struct EffectFacts {
  EffectKind kind;
  std::string_view name;
  PartKind part;
  std::string_view forecast;  // what the forecast does with it; empty = it depends on the run
};
const EffectFacts& facts_of(EffectKind kind);

/// One effect that was found in a run. docs/forecast.md says how, and how large it has to be.
struct Effect {
  EffectKind kind = EffectKind::start_up;
  std::string what;      // in plain words
  Seconds time{0};       // that the run would have saved without the effect; for phases and changed
                         // levels the time before the last one
  double share = 0;      // of the observed time, from the start of the process to its last event
  std::string forecast;  // what the forecast does with it
};

}  // namespace lapcast
