#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "accuracy/logged_run.h"
#include "core/seconds.h"
#include "run/run.h"

namespace lapcast::accuracy {

/// Says where the time of a run went, as lapcast counts it. Each second from its start to its end
/// is to have one part.
struct RunParts {
  Seconds start{0};       // until the first lap, without evaluations
  Seconds training{0};    // what laps cost
  Seconds evaluation{0};  // while no lap went on
  Seconds between{0};     // epochs
  Seconds end{0};         // after the last lap
  std::size_t laps = 0;

  Seconds sum() const { return start + training + evaluation + between + end; }
};

/// Returns the parts of a run that ended; all are 0 for a run without laps.
RunParts parts_of(const Run& run);

/// Returns why the parts are wrong: one is negative, they do not sum to the time of the run (by
/// more than the nanosecond of each lap that rounding may cost), or more than the last of the
/// epochs or blocks that the log begins is not a lap. Nothing when they are right.
std::optional<std::string> what_is_wrong(const RunParts& parts, const LoggedRun& run);

}  // namespace lapcast::accuracy
