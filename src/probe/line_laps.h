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
#include "lap/output_line.h"
#include "posix/files.h"
#include "probe/child_process.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Finds laps in what a program prints, or takes its whole run for one, and writes them into a lap
/// log of the lap folder. Each line has the time at which it was read. With a LapSource that names
/// lines the laps come at once. Without one, lines of usual forms are kept in mind, and count when
/// the program has told no laps by itself for kWait, or has ended. Where it tells laps but not how
/// many, the number of epochs in such lines is its plan.
class LineLaps {
 public:
  static constexpr std::size_t kLongestLine = 4096;  // bytes; the rest of a longer one is skipped
  static constexpr std::size_t kMostKept = 100'000;  // lines with counters that are kept in mind
  // Bounds for usual forms, so that a flood of lines takes no time from the program: lines that are
  // looked at in all and of what was read at once, and bytes of each.
  static constexpr std::size_t kMostLooked = 1'000'000;
  static constexpr std::size_t kMostOfARead = 64;
  static constexpr std::size_t kLongestUsual = 512;
  /// How long the program's own laps are waited for after its first line of a usual form.
  static constexpr Seconds kWait{5};
  static constexpr MonotonicNs kLookEvery = 1'000'000'000;

  /// Throws Error (usage) for an expression that is none.
  LineLaps(const std::optional<LapSource>& source, std::filesystem::path lap_folder);

  /// Returns whether the program must not keep its lines back.
  bool needs_terminal() const { return !source_.line.empty(); }
  /// Says when the program was started, and on which machine.
  void begin(MonotonicNs started_ns, const std::string& host);
  /// Takes what was read from a stream at that time.
  void take(Stream stream, std::string_view bytes, MonotonicNs now);
  /// Returns a function that calls take() at the present time; this must outlive it.
  OutputListener listener();
  /// Returns whether look() may find something. It is asked first, because putting all laps so far
  /// together may take long.
  bool wants_look(MonotonicNs now) const;
  /// Lets lines of usual forms count from kWait on. `log` has all laps so far; `may_come` says that
  /// the hook may still report some, so that only these count.
  void look(MonotonicNs now, const LapLog& log, bool may_come);
  /// Writes the rest when the program has ended, by itself or not; otherwise as look().
  void finish(MonotonicNs ended_ns, bool by_itself, const LapLog& log, bool may_come);

  /// Corrects the outcome of a run after finish(). One that had no laps as long as it went on may
  /// have some now: then `limit` was reached. One without laps says what could tell them.
  void correct(Outcome& outcome, const LapLog& log, const std::string& limit) const;

 private:
  struct Seen {
    LineCounters line;
    std::int64_t at_ns = 0;
    std::string text;  // its begin, where its number of steps is not that of the line before
  };
  /// Says which lines count: those of the training's counter, known by its number of steps.
  struct Chosen {
    bool has_steps = false;  // false: only epochs are counted
    LineCounters::Field steps;
  };
  void take_line(std::string_view line, std::int64_t at_ns);
  void keep_in_mind(const LineCounters& counters, std::string_view line, std::int64_t at_ns);
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
  std::array<std::string, 2> rests_;  // of each stream, behind its last line break
  std::vector<Seen> seen_;            // until they count
  MonotonicNs next_look_ = 0;
  std::size_t judged_ = 0;        // how many there were when they did not count
  std::optional<Chosen> chosen_;  // they count
  LineCounters before_;           // the last line that counted
  bool has_plan_ = false;         // the plan was told
  std::size_t looked_ = 0;
  std::vector<std::string> last_lines_;  // for the advice
};

}  // namespace lapcast
