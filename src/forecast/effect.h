#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

struct Forecast;
struct LapProfile;
struct Series;

/// Names the parts that a forecast is the sum of.
enum class PartKind {
  init,
  warm_up,
  laps,
  validation,
  epoch_overhead,
  checkpoints,
  tear_down,
  earlier_runs,  // what the track record adds; may be negative
  first_epoch,   // of the papers' methods only, as the two below
  epochs,
  first_lap,
};

/// Names what decides how far the time of a part may be off.
enum class PartError {
  start,  // how differently programs start
  laps,   // the scatter of the laps and the differences between runs
  other,  // its own interval and the differences between runs
};

/// Describes a part: the name that tables, CSV and JSON show, and what the intervals are made of.
struct PartFacts {
  PartKind kind;
  std::string_view name;
  PartError error;
};

inline constexpr PartFacts kPartFacts[] = {
    {PartKind::init, "init", PartError::start},
    {PartKind::warm_up, "warm-up", PartError::start},
    {PartKind::laps, "laps", PartError::laps},
    {PartKind::validation, "validation", PartError::other},
    {PartKind::epoch_overhead, "epoch overhead", PartError::other},
    {PartKind::checkpoints, "checkpoints", PartError::other},
    {PartKind::tear_down, "tear-down", PartError::other},
    {PartKind::earlier_runs, "as in earlier runs", PartError::other},
    {PartKind::first_epoch, "first epoch", PartError::other},
    {PartKind::epochs, "epochs", PartError::other},
    {PartKind::first_lap, "first lap", PartError::other}};

/// Returns the row of a part. The table is in the order of the enum, which a test holds.
constexpr const PartFacts& facts_of(PartKind kind) {
  return kPartFacts[static_cast<std::size_t>(kind)];
}

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

/// Describes a kind of effect: what is said of it, and the part of a forecast that counts it.
struct EffectFacts {
  EffectKind kind;
  std::string_view name;
  PartKind part;
  std::string_view forecast;  // what the forecast does with it; empty = it depends on the run
};
const EffectFacts& facts_of(EffectKind kind);

/// Holds an effect that was found in a run. docs/forecast.md says how, and how large it has to be.
struct Effect {
  EffectKind kind = EffectKind::start_up;
  std::string what;  // in plain words
  /// Holds what the run would have saved without the effect; for phases and changed levels the time
  /// before the last one.
  Seconds time{0};
  double share = 0;      // of the observed time, from the start of the process to its last event
  std::string forecast;  // what the forecast does with it
};

/// Returns all effects that the laps and pauses of a run show. The profile is of the same log and
/// complete but for its effects.
std::vector<Effect> effects_of(const Series& series, const LapProfile& profile);

/// Returns the effect that starting takes a tenth or more of the forecast run.
std::optional<Effect> start_up_effect(const LapProfile& profile, const Forecast& forecast);

}  // namespace lapcast
