#pragma once

#include <string>
#include <string_view>

#include "core/seconds.h"
#include "forecast/part.h"

namespace lapcast {

/// Names what can make a run longer than its steady laps.
enum class EffectKind {
  start_up,      // a large share of the run passes before the first lap
  warm_up,       // the first laps
  slow_epochs,   // whole epochs at the begin: caches that fill, data read the first time
  stalls,        // single laps far above the rest
  drift,         // steady laps that slowly change
  level_change,  // the work per lap changed, as found in the laps
  phases,        // the work per lap changed, as the program reported it
  validation,
  first_validation,       // the first validation costs more or less than later ones
  overlapped_validation,  // validations run beside laps
  epoch_overhead,
  checkpoints,
};

/// Describes a kind of effect: its name for users, and the part of a forecast that counts it.
struct EffectFacts {
  EffectKind kind;
  std::string_view name;
  PartKind part;
  std::string_view forecast;  // what the forecast does with it; empty = it depends on the run
};
const EffectFacts& facts_of(EffectKind kind);

/// Describes an effect found in a run. docs/forecast.md says how effects are found and how large
/// they have to be.
struct Effect {
  EffectKind kind = EffectKind::start_up;
  std::string what;  // "the first lap was 9 times as slow as the rest"
  /// Gives how much shorter the run would have been without the effect, negative where it sped the
  /// run up. For phases and level_change it is the time of all laps before the last change.
  Seconds time{0};
  double share = 0;      // of the observed time, from the start of the process to its last event
  std::string forecast;  // what the forecast does with it
};

}  // namespace lapcast
