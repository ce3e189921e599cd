#pragma once

#include <cstdint>
#include <iosfwd>
#include <map>
#include <optional>
#include <string>

#include "report/run_timeline.h"
#include "run/run.h"

namespace lapcast {

/// Writes runs into one file.
class RunWriter {
 public:
  virtual ~RunWriter() = default;
  /// Adds a run. Its texts are written as they are, so callers pass masked(run).
  virtual void add(const Run& run, const RunTimeline& timeline) = 0;
  /// Ends the file.
  virtual void finish() = 0;
};

/// Writes runs in the Trace Event Format ("Trace Event Format", Google 2016), which Perfetto and
/// chrome://tracing open. Each run is a process with tracks of its laps, epochs, validations,
/// warm-up and stalls; stages and checkpoints, which may overlap, are asynchronous slices; machine
/// load, metrics and forecasts are counters. Each sweep is a process with a track for each
/// candidate, which shows the rounds of its runs. Times are microseconds since the start of the
/// first run.
class TraceWriter : public RunWriter {
 public:
  /// Begins the file. `out` must outlive this writer.
  explicit TraceWriter(std::ostream& out);
  void add(const Run& run, const RunTimeline& timeline) override;
  void finish() override;

 private:
  struct Event;
  struct SweepTracks {
    std::int64_t process = 0;
    std::map<std::string, std::int64_t> tracks;  // by candidate
  };

  void write(const Event& event);
  void name(const char* what, std::int64_t process, std::int64_t track, const std::string& text);
  void add_marks(const RunTimeline& timeline);
  void add_laps(const RunTimeline& timeline);
  void add_loads(const LapLog& log);
  void add_counters(const Run& run, const LapLog& log);
  void add_rounds(const Run& run, const RunTimeline& timeline);
  std::int64_t sweep_track(const Run& run, std::int64_t& process);

  std::ostream& out_;
  bool is_first_ = true;
  std::optional<double> origin_s_;  // since 1970, of time 0 of the file
  double shift_us_ = 0;             // of the run that is being added
  std::int64_t process_ = 0;        // likewise
  std::int64_t processes_ = 0;
  std::int64_t slices_ = 0;  // asynchronous ones
  std::map<std::string, SweepTracks> sweeps_;
};

}  // namespace lapcast
