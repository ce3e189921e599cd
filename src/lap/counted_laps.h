#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/seconds.h"
#include "lap/output_line.h"

namespace lapcast {

/// Makes laps from the counters that a program prints: lines of a lap log (docs/lap-log.md), for a
/// process that starts at time 0. Between two lines as many laps have ended as the counter has
/// grown; they share the time between the lines equally.
///
/// - A line with a step counts steps. Until a line has one, epochs are counted, each as a lap; a
///   line without counters ends a lap.
/// - The counter began at 0 if its first number is not above its growth until the next line. The
///   steps before the first line are then taken to have lasted as long as those after it, and an
///   epoch as long as its line says. Any other counter was resumed.
/// - A step counter that falls, or another epoch, begins an epoch, after the steps that the last
///   one still lacked.
/// - A counter with another number of steps, or whose words say so, is a validation, until the
///   training's own goes on.
///
/// All times are nanoseconds since the start of the process.
class CountedLaps {
 public:
  /// A counter that grows by more between two lines does not count iterations.
  static constexpr std::int64_t kMostAtOnce = 10'000;
  /// Where laps share a time, none is reported before this many intervals between lines: many laps
  /// from one interval are one measurement, but look like many.
  static constexpr int kFewestIntervals = 4;

  /// Takes the counters of a line. Returns what is new in the log, perhaps nothing yet.
  std::string take(const LineCounters& line, std::int64_t at_ns);
  /// Returns the rest of the log of a program that has ended at that time, by itself or not. A note
  /// says that the laps before the first line are taken to be as long as those after it, where
  /// nothing tells their time.
  std::string finish(std::int64_t at_ns, bool by_itself);
  /// Returns whether laps before the first line were assumed so.
  bool assumes_first() const { return assumes_first_; }

 private:
  /// Describes a line of the training.
  struct Mark {
    LineCounters line;
    std::int64_t at_ns = 0;
    std::int64_t done = 0;  // steps of the epoch, or epochs, that are over
  };
  struct Stretch {
    std::int64_t begin_ns = 0;
    std::int64_t end_ns = 0;
  };

  Mark mark_of(const LineCounters& line, std::int64_t at_ns) const;
  void begin_counting(const LineCounters& line);
  bool is_of_validation(const LineCounters& line) const;
  bool is_the_training(std::int64_t at_ns) const;
  void begin_anew(std::int64_t at_ns);
  bool begins_epoch(const Mark& mark) const;
  std::int64_t lacking_steps() const;
  void take_first(const Mark& next);
  void take_step(const Mark& mark);
  void take_epoch(const Mark& mark);
  void tell_plan(const LineCounters& line, std::int64_t at_ns);
  void tell_validation();
  void tell_laps(std::int64_t count, Stretch stretch, const LineCounters& line);
  void begin_epoch(const LineCounters& line, std::int64_t at_ns);
  void end_epoch(std::int64_t at_ns);
  void tell(std::int64_t at_ns, std::string_view event);
  std::string told();

  bool counts_steps_ = false;
  bool counts_through_ = false;        // the steps of all epochs
  bool tells_begin_ = false;           // a line with an epoch comes before its work
  std::int64_t shift_ = 0;             // from a line's number to what is over then
  std::int64_t epoch_shift_ = 0;       // from the number of an epoch to its number from 1
  std::optional<Mark> first_;          // waits for the next line
  std::optional<Mark> last_;           // up to which laps were told
  LineCounters::Field line_epoch_;     // of the last line that had one
  LineCounters::Field counted_epoch_;  // the same at the last line with a step
  std::int64_t epoch_ = 0;             // the last one that began; from 1
  bool is_open_ = false;
  std::optional<Stretch> validation_;  // under way
  std::int64_t begun_ns_ = 0;          // of the counter
  std::int64_t lap_ns_ = 0;            // of the last interval
  int intervals_ = 0;
  bool assumes_first_ = false;
  bool shares_ = false;  // an interval had several laps
  std::string plan_;
  std::string text_;          // not returned yet
  std::int64_t told_ns_ = 0;  // time of the last event
};

}  // namespace lapcast
