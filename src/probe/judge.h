#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "probe/child_process.h"
#include "probe/lap_folder.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Watches a run and decides when to stop it.
class Judge {
 public:
  virtual ~Judge() = default;
  /// Judges the run at every tick of the supervisor. `any_new` says that laps have come since the
  /// last tick. Returns an outcome when the program is to be ended, none when it may go on.
  virtual std::optional<Outcome> look(LapFolder& laps, bool any_new, Seconds elapsed) = 0;
  /// Adds the judge's own knowledge of the run to `progress`.
  virtual void describe(const LapFolder& laps, ProbeProgress& progress) const = 0;
  /// Returns the warnings for the user that are new since the last call.
  virtual std::vector<std::string> take_warnings() { return {}; }
  /// Adds the judge's results so far to the run; take_warnings() has to be called before.
  virtual void add_results(Run&) {}
  /// Returns the limit at which look() ended the run, such as "time budget of 1 min 0 s"; empty if
  /// no limit ended it.
  const std::string& reached_limit() const { return reached_limit_; }

 protected:
  std::string reached_limit_;
};

/// Sets the laps and the epoch of `progress` to those of a log.
void describe_laps(const LapLog& log, ProbeProgress& progress);

/// Returns the outcome of a run whose program ended by itself with this status.
Outcome end_of(const ExitStatus& status, const LapFolder& laps);

/// Returns the outcome that an order asks for; without laps it becomes NoLaps with the same reason.
Outcome with_laps(const Outcome& wanted, const LapLog& log);

/// Returns the outcome of a run without laps. It says what went wrong, how far the hook got in the
/// program, what it noted, and how a program reports laps.
Outcome no_laps(std::string why, const LapFolder& laps, bool has_ended);

}  // namespace lapcast
