#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// Holds what one session of a training did: a run of its program, from the start or from the
/// checkpoint of an earlier session.
struct TrainingSession {
  const Run* run = nullptr;
  std::int64_t laps = 0;           // that count: they ended before its last checkpoint
  std::int64_t lost_laps = 0;      // the others, which the next session did again
  Seconds time{0};                 // that its program ran
  Seconds lost{0};                 // of this: work after the checkpoint
  std::optional<Money> cost = {};  // of this time at its machine's price; none = not known
  std::optional<double> kwh = {};  // that the machine took from the plug; none = not known
};

/// Holds a training over several sessions. No lap, second or dollar of it counts twice.
struct SessionsTraining {
  std::vector<TrainingSession> sessions;  // in the order of time; those whose program was started
  bool ended = false;                     // its program ended by itself in the last one

  std::int64_t laps() const;
  std::int64_t lost_laps() const;
  Seconds time() const;
  Seconds lost() const;
  std::optional<Money> cost() const;  // none where that of a session is not known
  std::optional<double> kwh() const;  // likewise
};

/// Merges the runs of a training's sessions, which are in the order of time and must outlive the
/// result.
SessionsTraining merge_sessions(std::span<const Run> runs);

/// Returns how long the program of a run had run when a file was written, whose time is that of the
/// machine's clock in seconds since 1970; within 0 and the run's wall time. Returns 0 when the
/// run's log does not tell the clock.
Seconds ran_until(const Run& run, double written_s);

/// Adds to a run that it is a session of a training, in which `before` were the earlier ones: how
/// long these trained, and, unless the program ended by itself, how much of the run's own work came
/// after `saved`, when its last checkpoint was written.
void note_session(Run& run, const SessionsTraining& before, Seconds saved);

}  // namespace lapcast
