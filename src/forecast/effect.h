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
  first_epoch,   // this part and the two below are of the papers' methods only
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

/// Returns the row of a part. The table is in the order of the enum, which a test checks.
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

/// Holds an effect that was found in a run. docs/forecast.md says how it is found and how large it
/// has to be.
struct Effect {
  EffectKind kind = EffectKind::start_up;
  std::string what;  // "the first lap was 9 times as slow as the rest"
  /// Gives how much shorter the run would have been without the effect, negative where it sped the
  /// run up. For phases and level_change it is the time of all laps before the last change.
  Seconds time{0};
  double share = 0;      // of the observed time, from the start of the process to its last event
  std::string forecast;  // what the forecast does with it
};

/// Returns all effects that the laps and pauses of a run show. `profile` is that of the same log;
/// its own effects are not read.
std::vector<Effect> effects_of(const Series& series, const LapProfile& profile);

/// Returns the effect of kind start_up when init is a tenth or more of the forecast run; else
/// nothing.
std::optional<Effect> start_up_effect(const LapProfile& profile, const Forecast& forecast);

}  // namespace lapcast
