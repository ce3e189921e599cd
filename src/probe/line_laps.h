#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/seconds.h"
#include "lap/counted_laps.h"
#include "lap/lap_log.h"
#include "lap/learned_lines.h"
#include "lap/output_line.h"
#include "posix/files.h"
#include "probe/child_process.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Finds laps in a program's output, or takes its whole run as one lap, and writes them into a lap
/// log of the lap folder. The time of a line is when it was read. With a LapSource that names
/// lines, the laps are written at once. Without one, lines of usual forms are remembered, or of the
/// forms that are learned where these catch more of them, and count once the program has reported
/// no laps of its own for kWait, or has ended. If it reports laps but not how many, the number of
/// epochs in such lines becomes its plan.
class LineLaps {
 public:
  static constexpr std::size_t kLongestLine = 4096;  // bytes; the rest of a longer one is skipped
  static constexpr std::size_t kMostKept = 100'000;  // lines with counters that are remembered
  // Bounds for usual forms, so that a flood of lines takes no time from the program: lines examined
  // in all, lines examined per read, and bytes of a line.
  static constexpr std::size_t kMostLooked = 1'000'000;
  static constexpr std::size_t kMostOfARead = 64;
  static constexpr std::size_t kLongestUsual = 512;
  static constexpr std::size_t kMostLearned = 2000;  // lines from which forms are learned
  /// Limits the wait for the program's own laps after its first line of a usual form.
  static constexpr Seconds kWait{5};
  static constexpr MonotonicNs kLookEvery = 1'000'000'000;

  /// Throws Error (usage) if the expression of `source` is not valid.
  LineLaps(const std::optional<LapSource>& source, std::filesystem::path lap_folder);

  /// Returns whether the program must not buffer its lines.
  bool needs_terminal() const { return !source_.line.empty(); }
  /// Sets when the program was started, and on which machine.
  void begin(MonotonicNs started_ns, const std::string& host);
  /// Takes bytes read from a stream at `now`.
  void take(Stream stream, std::string_view bytes, MonotonicNs now);
  /// Returns a function that calls take() with the current time; this object must outlive it.
  OutputListener listener();
  /// Returns whether look() may find something. Call it first, because merging all laps so far may
  /// take long.
  bool wants_look(MonotonicNs now) const;
  /// Counts lines of usual forms after kWait. `log` has all laps so far; `may_come` says that the
  /// hook may still report laps, so that only those count.
  void look(MonotonicNs now, const LapLog& log, bool may_come);
  /// Writes the rest after the program has ended, by itself or not; otherwise does the same as
  /// look().
  void finish(MonotonicNs ended_ns, bool by_itself, const LapLog& log, bool may_come);

  /// Corrects the outcome of a run after finish(). A run that had no laps while it was under way
  /// may have some now: then it reached `limit`. For a run without laps, adds how to report them.
  void correct(Outcome& outcome, const LapLog& log, const std::string& limit) const;

 private:
  struct Seen {
    LineCounters line;
    std::int64_t at_ns = 0;
    std::string text;  // its beginning, if its number of steps is not that of the line before
  };
  struct Printed {
    std::int64_t at_ns = 0;
    std::string text;
  };
  /// Says which lines count: those of the training's counter, identified by its number of steps.
  struct Chosen {
    bool has_steps = false;  // false: only epochs are counted
    LineCounters::Field steps;
  };
  void take_line(std::string_view line, std::int64_t at_ns);
  void keep_in_mind(const LineCounters& counters, std::string_view line, std::int64_t at_ns);
  std::optional<LineCounters> counters_of(const std::string& line) const;
  void learn();
  void count(const LineCounters& line, std::int64_t at_ns);
  void count_kept(bool has_ended);
  void tell_plan(const LapLog& log);
  void write(const std::string& text);
  std::string advice() const;

  LapSource source_;
  std::optional<LinePattern> pattern_;
  std::filesystem::path file_;
  Hello hello_;
  FileDescriptor log_;
  CountedLaps laps_;
  std::array<std::string, 2> rests_;  // of each stream, after its last line break
  std::vector<Seen> seen_;            // until they count
  MonotonicNs next_look_ = 0;
  std::vector<Printed> printed_;  // lines with a number, until some count
  std::optional<LearnedLines> learned_;
  std::size_t judged_ = 0;        // size of seen_ and printed_ when they last did not count
  std::optional<Chosen> chosen_;  // set once they count
  LineCounters before_;           // the last line that counted
  bool has_plan_ = false;         // the plan was told
  std::size_t looked_ = 0;
  std::vector<std::string> last_lines_;  // for the advice
};

}  // namespace lapcast
