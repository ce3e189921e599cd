#pragma once

#include <sys/types.h>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "core/error.h"
#include "core/widening_schedule.h"
#include "price/offer.h"
#include "probe/child_process.h"
#include "probe/request.h"

namespace lapcast {

/// Returns a watched run in one line: "epoch 3/12, 41.2 laps/s, 1 h 02 min left (58 min 20 s to 1 h
/// 06 min), 0.42 of 1.31 USD (1.25 to 1.38)". It leaves out what is not known, and says why there
/// is no forecast. Amounts are bills under the offer, with its boot time and billing steps.
std::string watch_line(const ProbeProgress& progress, const std::optional<Offer>& offer);

/// Returns the result of a watched run: "ended after 12 min 04 s, 3400 laps, 0.61 USD".
std::string watch_words(const Run& run);
/// Returns the same with the command that shows more: "...; lapcast show 3fb0".
std::string watch_summary(const Run& run);

/// Returns the exit code for a watched run that has ended: over a limit, interrupted, failed or ok.
ExitCode exit_code_of(const Run& run);

/// Makes the control sequences (ECMA-48, and DECSC/DECRC) that keep one line of our own below the
/// output of a program on the same terminal. The program's output is never changed: if its last
/// line is unfinished, our line is one row below the cursor, else in the cursor's own row.
class LiveLine {
 public:
  /// Removes our line, so that the program can continue to write. Returns an empty text if no line
  /// is shown.
  std::string hide();
  /// Takes note of the bytes that the program wrote to the terminal while our line was hidden.
  void passed(std::string_view bytes);
  /// Returns whether our line may be shown. It may not while the program has written only a part of
  /// a character or of an escape sequence.
  bool may_show() const { return unfinished_.empty(); }
  /// Shows our line in its row and replaces the former one. It has no line breaks and is no wider
  /// than the terminal.
  std::string show(std::string_view line);
  /// Returns the bytes that begin a new row, in which our own lines stay. Must be called after
  /// hide().
  std::string new_row();

 private:
  bool shown_ = false;
  bool at_line_start_ = true;
  std::string unfinished_;  // an incomplete character or sequence that was written last
};

/// Passes on what a watched program prints to this process's own stdout and stderr. Shows a live
/// line if stderr is a terminal, otherwise a plain line at intervals; when quiet, neither. Draws
/// nothing while lapcast is not in the foreground of its terminal.
class WatchView : public ProgramView {
 public:
  WatchView(bool quiet, std::optional<Offer> offer);
  std::size_t write(Stream stream, std::string_view bytes) override;
  int fd(Stream stream) const override { return stream == Stream::output ? 1 : 2; }
  std::optional<pid_t> terminal_group() const override;
  void show(const ProbeProgress& progress) override;
  void warn(const std::string& what) override;
  void end() override;

 private:
  using Clock = std::chrono::steady_clock;
  bool is_terminal(Stream stream) const {
    return stream == Stream::output ? output_tty_ : error_tty_;
  }
  bool may_draw() const;
  void draw();
  void hide();
  void say(const std::string& line);

  bool quiet_;
  std::optional<Offer> offer_;
  bool output_tty_;
  bool error_tty_;
  pid_t group_;  // lapcast's own; a process of another group uses the view
  LiveLine live_;
  std::string line_;
  Clock::time_point drawn_{};
  WideningSchedule plain_lines_;
};

}  // namespace lapcast
