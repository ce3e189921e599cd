#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

/// Holds one training iteration as it was reported. Times are nanoseconds since the log's hello.
struct Lap {
  std::int64_t begin_ns = 0;  // end of the event before it (metrics do not count)
  std::int64_t end_ns = 0;
  std::int64_t index = 0;  // 0 for the first lap of the run
  std::int32_t samples = 0;
  std::int32_t epoch = 0;  // as reported, from 1; 0 before any epoch began
  std::int16_t phase = 0;  // index into LapLog::phases
  std::int16_t rank = 0;
  bool finished = true;  // false: the work was only queued on a device

  constexpr Seconds seconds() const { return from_ns(end_ns - begin_ns); }
  friend constexpr bool operator==(const Lap&, const Lap&) = default;
};

/// Holds a stretch of time, in nanoseconds since the log's hello; begin_ns <= end_ns.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  constexpr Seconds seconds() const { return from_ns(end_ns - begin_ns); }
  friend constexpr bool operator==(const Span&, const Span&) = default;
};

/// Holds the first event of a log: who writes it and what its times mean.
struct Hello {
  MonotonicNs clock_ns = 0;  // CLOCK_MONOTONIC at time 0 of this log
  double wall_seconds = 0;   // seconds since 1970 at time 0
  std::int64_t pid = 0;
  std::int32_t rank = 0;  // of a distributed run; 0 .. world_size - 1
  std::int32_t world_size = 1;
  std::string host;
  std::string emitter;  // such as "lap.h/1"
  friend bool operator==(const Hello&, const Hello&) = default;
};

/// Holds what the program says that it intends to do; 0 = not known. These are the fields of
/// lapcast_plan_t.
struct ReportedPlan {
  std::int64_t epochs = 0;
  std::int64_t steps = 0;
  std::int64_t iterations_per_epoch = 0;
  std::int64_t batch_size = 0;
  std::int64_t training_samples = 0;
  std::int64_t validation_samples = 0;
  std::int64_t answers_requests = 0;  // 1: validates when asked to (lapcast_validation_wanted)
  friend bool operator==(const ReportedPlan&, const ReportedPlan&) = default;
};

/// Lists the keys of a plan in a lap log, in the order of its line.
inline constexpr std::pair<std::string_view, std::int64_t ReportedPlan::*> kPlanFields[] = {
    {"epochs", &ReportedPlan::epochs},
    {"steps", &ReportedPlan::steps},
    {"iterations", &ReportedPlan::iterations_per_epoch},
    {"batch", &ReportedPlan::batch_size},
    {"train", &ReportedPlan::training_samples},
    {"validation", &ReportedPlan::validation_samples},
    {"requests", &ReportedPlan::answers_requests},
};

/// Describes one stage of the program other than an epoch or a validation.
struct StageSpan {
  std::string name;  // "data-load", "pre-process", "compile", "train", "evaluate", "checkpoint" ...
  Span span;
  std::int64_t bytes = 0;        // of a checkpoint; 0 = not known
  std::int32_t epoch = 0;        // reported epoch in which it ended
  std::int64_t laps_before = 0;  // laps that ended before it began
  friend bool operator==(const StageSpan&, const StageSpan&) = default;
};

/// Describes one validation.
struct ValidationSpan {
  Span span;
  std::int64_t samples = 0;
  std::int32_t epoch = 0;        // the reported epoch that had last begun
  bool within_epoch = false;     // began before that epoch's end was reported: every n steps, or
                                 // asked for by the supervisor
  std::int64_t laps_before = 0;  // laps that ended before it began
  friend bool operator==(const ValidationSpan&, const ValidationSpan&) = default;
};

/// Describes one epoch as the program reported it.
struct EpochSpan {
  std::int32_t epoch = 0;
  Span span;  // from its begin to its end; end_ns = 0 while not ended
  bool ended = false;
  std::int64_t first_lap = 0;  // index of the first lap in it
  std::int64_t laps = 0;
  std::int64_t samples = 0;
  friend bool operator==(const EpochSpan&, const EpochSpan&) = default;
};

/// Describes one value of a metric that the program reported.
struct MetricPoint {
  std::string name;
  double value = 0;
  std::int64_t at_ns = 0;
  std::int32_t epoch = 0;
  std::int64_t laps_before = 0;
  friend bool operator==(const MetricPoint&, const MetricPoint&) = default;
};

/// Reports, once for a log, what could not be read in it; the laps before and after it are kept.
struct Damage {
  std::int64_t lines = 0;         // damaged lines in all
  std::int64_t first_offset = 0;  // byte offset of the first of them
  std::string what;  // of the first: "cut off", "not a number", "time runs backwards"...
  friend bool operator==(const Damage&, const Damage&) = default;
};

/// Holds all that one process reported. Contract of the text: docs/lap-log.md.
struct LapLog {
  std::optional<Hello> hello;  // absent: not a lap log, or cut before the end of its first event
  std::optional<ReportedPlan> plan;
  std::vector<Lap> laps;
  std::vector<StageSpan> stages;  // ended ones, in order of their end
  std::vector<ValidationSpan> validations;
  std::vector<EpochSpan> epochs;
  std::vector<MetricPoint> metrics;
  std::vector<std::string> notes;        // for the user, in order, each text once
  std::int64_t device_memory_bytes = 0;  // most that the process held on its device; 0 = not known
  std::vector<std::string> phases{""};   // phases[0] is the unnamed phase before any was reported
  std::optional<Damage> damage;
  bool said_bye = false;     // the process ended by itself and flushed
  std::int64_t last_ns = 0;  // time of the last event
};

/// Calls change() with each time of a log but those of its hello. The end of an epoch that has
/// not ended stays 0.
template <class Change>
void change_times(LapLog& log, Change change) {
  const auto change_both = [&](auto& stretch) {
    change(stretch.begin_ns);
    change(stretch.end_ns);
  };
  for (Lap& lap : log.laps) change_both(lap);
  for (StageSpan& stage : log.stages) change_both(stage.span);
  for (ValidationSpan& validation : log.validations) change_both(validation.span);
  for (EpochSpan& epoch : log.epochs) {
    change(epoch.span.begin_ns);
    if (epoch.ended) change(epoch.span.end_ns);
  }
  for (MetricPoint& metric : log.metrics) change(metric.at_ns);
  change(log.last_ns);
}

}  // namespace lapcast
