#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

struct Series;

/// Describes an event of a run other than its laps, for pictures of the run.
struct RunMark {
  enum class Kind { validation, checkpoint, stage, epoch, pause, warm_up, stall, level_shift };
  Kind kind = Kind::validation;
  Span span;         // since the start of the run, including pauses
  std::string text;  // "epoch 3", "10000 samples", the name of a stage; may be empty
  friend bool operator==(const RunMark&, const RunMark&) = default;
};
std::string_view to_string(RunMark::Kind kind);

/// Returns the events of a run other than its laps, without pauses: those in the log, and those
/// found in `series`, whose laps have the same indices as in the log (null = there are no laps).
std::vector<RunMark> marks_of(const LapLog& log, const Series* series);

/// Holds the events of a run on the clock of its machine, on which pauses take time.
struct RunTimeline {
  double started_s = 0;         // since 1970; 0 = not known
  std::int64_t length_ns = 0;   // from the start to the end of the process
  LapLog log;                   // its times include pauses and count from the start of the run
  std::vector<double> costs_s;  // of each lap of the log, by lap_costs()
  std::vector<RunMark> marks;   // in order of end for each kind
};

/// Returns the timeline of a run. A run without laps has no warm-up, stalls and level shifts.
RunTimeline timeline_of(const Run& run);

}  // namespace lapcast
