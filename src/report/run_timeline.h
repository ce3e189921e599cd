#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lap/lap_log.h"
#include "run/run.h"

namespace lapcast {

struct Series;

/// Holds something that happened in a run beside its laps, for pictures of the run.
struct RunMark {
  enum class Kind { validation, checkpoint, stage, epoch, pause, warm_up, stall, level_shift };
  Kind kind = Kind::validation;
  Span span;         // since the start of the run, pauses included
  std::string text;  // "epoch 3", "10000 samples", the name of a stage; may be empty
  friend bool operator==(const RunMark&, const RunMark&) = default;
};
/// Returns the name in JSON: "warm-up", "level-shift".
std::string_view to_string(RunMark::Kind kind);

/// Returns what happened in a run beside its laps, without pauses: what the log reports, and what
/// `series` shows, whose laps have the same places in the log (null = there are no laps).
std::vector<RunMark> marks_of(const LapLog& log, const Series* series);

/// Holds what happened in a run on the clock of its machine, on which pauses take time.
struct RunTimeline {
  double started_s = 0;         // since 1970; 0 = not known
  std::int64_t length_ns = 0;   // from the start to the end of the process
  LapLog log;                   // with pauses in its times, which count from the start of the run
  std::vector<double> costs_s;  // of each lap of the log, as lap_costs() gives them
  std::vector<RunMark> marks;   // those of a kind in the order of their ends
};

/// Returns the timeline of a run. A run without laps has no warm-up, stalls and level shifts.
RunTimeline timeline_of(const Run& run);

}  // namespace lapcast
