#pragma once

#include <cstddef>
#include <string_view>

namespace lapcast {

/// Names the parts whose sum is a forecast.
enum class PartKind {
  init,
  warm_up,
  laps,
  validation,
  epoch_overhead,
  checkpoints,
  tear_down,
  earlier_runs,  // what the track record adds; may be negative
  first_epoch,   // only the papers' methods have this part and the two below
  epochs,
  first_lap,
};

/// Names the source of the error of a part's time.
enum class PartError {
  start,  // how differently programs start
  laps,   // the scatter of the laps and the differences between runs
  other,  // its own interval and the differences between runs
};

/// Describes a part: the name that tables, CSV and JSON show, and the source of its error.
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

}  // namespace lapcast
