#include "cli/watch_view.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <string>
#include <utility>
#include <variant>

#include "cli/console.h"
#include "cli/progress_line.h"
#include "core/units.h"
#include "history/assessment.h"
#include "history/live_forecast.h"
#include "posix/files.h"
#include "report/gpu_report.h"
#include "run/attempts.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

constexpr std::string_view kSave = "\0337";
constexpr std::string_view kRestore = "\0338";
constexpr std::string_view kClearRow = "\r\033[K";
constexpr std::string_view kDown = "\033[B";
// IND scrolls if there is no row below, and leaves the cursor in its column.
constexpr std::string_view kMakeRowBelow = "\033D\033[A";

constexpr std::size_t kMostAtOnce = 4096;  // a pipe that can be written takes PIPE_BUF bytes
constexpr std::chrono::milliseconds kDrawEvery{100};

std::string where_text(const ProbeProgress& progress) {
  std::string text;
  if (progress.epoch > 0 && progress.planned_epochs > 0)
    text = fmt::format("epoch {}/{}, ", progress.epoch, progress.planned_epochs);
  else if (progress.epoch > 0)
    text = fmt::format("epoch {}, ", progress.epoch);
  if (progress.laps_per_second > 0) text += format_number(progress.laps_per_second) + " laps/s, ";
  return text;
}

std::string left_text(const ProbeProgress& progress, const RestOfRun& rest) {
  if (!rest.left) return format_duration(progress.elapsed) + " so far";
  return fmt::format("{} left ({} to {})", format_duration(rest.left->mid),
                     format_duration(rest.left->low), format_duration(rest.left->high));
}

std::string money_text(const RestOfRun& rest) {
  if (!rest.cost_so_far) return "";
  const std::string so_far = dollar_text(*rest.cost_so_far);
  if (!rest.cost) return fmt::format(", {}", so_far);
  return fmt::format(", {} of {} ({} to {})", so_far, dollar_text(rest.cost->mid),
                     dollar_text(rest.cost->low), dollar_text(rest.cost->high));
}

/// Returns whether an escape sequence (ECMA-48), with no other one inside, is complete.
bool has_sequence_end(std::string_view sequence) {
  constexpr std::string_view kStrings =
      "]P_^X";  // OSC, DCS, APC, PM, SOS, up to BEL; ESC and a backslash are the next one
  const char kind = sequence[1];
  const std::string_view rest = sequence.substr(2);
  if (kStrings.find(kind) != kStrings.npos) return rest.find_first_of("\a\n") != rest.npos;
  if (kind >= ' ' && kind <= '/')  // such as the choice of a character set
    return rest.find_first_not_of(" !\"#$%&'()*+,-./") != rest.npos;
  if (kind != '[') return true;
  return std::ranges::any_of(rest, [](char c) { return c >= '@' && c <= '~'; });
}

/// Returns the incomplete UTF-8 character or escape sequence at the end; empty if there is none.
std::string unfinished_part(std::string_view text) {
  constexpr std::size_t kLongest = 4096;  // anything longer is not a sequence
  if (text.size() > kLongest) text.remove_prefix(text.size() - kLongest);
  if (const std::size_t escape = text.rfind('\x1b'); escape != text.npos) {
    const std::string_view rest = text.substr(escape);
    if (rest.size() == 1 || !has_sequence_end(rest)) return std::string(rest);
  }
  for (std::size_t bytes = 1; bytes <= std::min<std::size_t>(3, text.size()); ++bytes) {
    const auto byte = static_cast<unsigned char>(text[text.size() - bytes]);
    if (byte < 0x80) break;
    if (byte < 0xC0) continue;
    const std::size_t whole = byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return bytes < whole ? std::string(text.substr(text.size() - bytes)) : "";
  }
  return "";
}

bool can_take_more(int fd) {
  pollfd writable{fd, POLLOUT, 0};
  return poll(&writable, 1, 0) > 0;
}

}  // namespace

std::string watch_line(const ProbeProgress& progress, const std::optional<Offer>& offer) {
  const RestOfRun rest = rest_of_run(progress.elapsed, progress.total, offer);
  std::string text = where_text(progress) + left_text(progress, rest) + money_text(rest);
  text += busy_text(progress.gpus);
  if (!progress.state.empty()) text += "; " + progress.state;
  return text;
}

std::string watch_words(const Run& run) {
  const std::size_t laps = laps_of(run)->laps.size();
  std::string text =
      fmt::format("{} after {}", describe(run.outcome), format_duration(time_of_attempts(run)));
  if (laps > 0) text += fmt::format(", {} laps", laps);
  if (const auto cost = cost_of_run(run, {})) text += ", " + dollar_text(*cost);
  if (const Seconds lost = lost_work(run); lost.count() > 0)
    text += fmt::format(", {} of it lost work", format_duration(lost));
  return text;
}

std::string watch_summary(const Run& run) {
  return watch_words(run) + "; lapcast show " + run.context.id;
}

ExitCode exit_code_of(const Run& run) {
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return ExitCode::interrupted;
  if (run.stop_sent_ns) return ExitCode::over_limit;
  // A program that ran to its end has done its work, whether or not it reported laps.
  const bool ended = std::holds_alternative<outcome::Ended>(run.outcome) ||
                     std::holds_alternative<outcome::NoLaps>(run.outcome);
  return ended ? ExitCode::ok : ExitCode::program_failed;
}

std::string LiveLine::hide() {
  if (!shown_) return "";
  shown_ = false;
  if (at_line_start_) return std::string(kClearRow);
  return fmt::format("{}{}{}{}", kSave, kDown, kClearRow, kRestore);
}

void LiveLine::passed(std::string_view bytes) {
  if (bytes.empty()) return;
  at_line_start_ = bytes.back() == '\n';
  unfinished_ += bytes;
  unfinished_ = unfinished_part(unfinished_);
}

std::string LiveLine::show(std::string_view line) {
  shown_ = true;
  if (at_line_start_) return fmt::format("{}{}", kClearRow, line);
  return fmt::format("{}{}{}{}{}{}", kMakeRowBelow, kSave, kDown, kClearRow, line, kRestore);
}

std::string LiveLine::new_row() {
  return std::exchange(at_line_start_, true) ? "" : "\n";
}

WatchView::WatchView(bool quiet, std::optional<Offer> offer)
    : quiet_(quiet),
      offer_(std::move(offer)),
      output_tty_(knows_escapes(STDOUT_FILENO)),
      error_tty_(knows_escapes(STDERR_FILENO)),
      group_(getpgrp()) {}

std::size_t WatchView::write(Stream stream, std::string_view bytes) {
  if (!can_take_more(fd(stream))) return 0;
  if (is_terminal(stream)) hide();
  const ssize_t written = ::write(fd(stream), bytes.data(), std::min(bytes.size(), kMostAtOnce));
  if (written < 0) return errno == EINTR || errno == EAGAIN ? 0 : bytes.size();
  const auto count = static_cast<std::size_t>(written);
  if (!is_terminal(stream)) return count;
  live_.passed(bytes.substr(0, count));
  if (count == bytes.size() && Clock::now() - drawn_ >= kDrawEvery) draw();
  return count;
}

std::optional<pid_t> WatchView::terminal_group() const {
  return isatty(STDIN_FILENO) != 0 ? std::optional(group_) : std::nullopt;
}

bool WatchView::may_draw() const {
  return !quiet_ && error_tty_ && tcgetpgrp(STDERR_FILENO) == group_;
}

void WatchView::draw() {
  if (line_.empty() || !may_draw() || !live_.may_show()) return;
  write_all(STDERR_FILENO, live_.show(printable(line_, terminal_width())));
  drawn_ = Clock::now();
}

void WatchView::hide() {
  if (const std::string sequence = live_.hide(); !sequence.empty())
    write_all(STDERR_FILENO, sequence);
}

void WatchView::show(const ProbeProgress& progress) {
  line_ = watch_line(progress, offer_);
  if (may_draw())
    draw();
  else if (!quiet_ && !error_tty_ && plain_lines_.is_due(progress.elapsed))
    say(line_);
}

void WatchView::warn(const std::string& what) {
  say("warning: " + printable(what, 1000));
}

void WatchView::say(const std::string& line) {
  hide();
  write_all(STDERR_FILENO, live_.new_row());
  lapcast::say("{}", printable(line, 1100));
}

void WatchView::end() {
  hide();
  line_.clear();
  if (error_tty_) write_all(STDERR_FILENO, live_.new_row());
}

}  // namespace lapcast
