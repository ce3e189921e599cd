#include "remote/probe_lines.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

#include "core/units.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

constexpr double kMostSeconds = 1e12;

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

/// A number that is not negative and takes the whole word.
template <class T>
bool read_number(std::string_view word, T& number) {
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
  return error == std::errc() && end == word.data() + word.size() && number >= T{0};
}

bool read_seconds(std::string_view word, Seconds& time) {
  double seconds = 0;
  if (!read_number(word, seconds) || !(seconds <= kMostSeconds)) return false;
  time = Seconds{seconds};
  return true;
}

bool read_total(std::string_view word, std::optional<Interval<Seconds>>& total) {
  if (word == "-") return true;
  const std::size_t first = word.find('/');
  const std::size_t second = first == std::string_view::npos ? first : word.find('/', first + 1);
  if (second == std::string_view::npos) return false;
  Interval<Seconds>& read = total.emplace();
  return read_seconds(word.substr(0, first), read.low) &&
         read_seconds(word.substr(first + 1, second - first - 1), read.mid) &&
         read_seconds(word.substr(second + 1), read.high);
}

ProbeLine parse_progress(std::string_view text) {
  ProbeProgress progress;
  const bool whole = read_seconds(take_word(text), progress.elapsed) &&
                     read_number(take_word(text), progress.laps) &&
                     read_number(take_word(text), progress.epoch) &&
                     read_number(take_word(text), progress.planned_epochs) &&
                     read_number(take_word(text), progress.laps_per_second) &&
                     read_total(take_word(text), progress.total);
  if (!whole || !std::isfinite(progress.laps_per_second)) return std::monostate{};
  progress.state = printable(text);
  return progress;
}

}  // namespace

std::string progress_line(const ProbeProgress& progress) {
  std::string total = "-";
  if (progress.total)
    total = fmt::format("{:.3f}/{:.3f}/{:.3f}", progress.total->low.count(),
                        progress.total->mid.count(), progress.total->high.count());
  return fmt::format("P {:.3f} {} {} {} {:.6g} {} {}\n", progress.elapsed.count(), progress.laps,
                     progress.epoch, progress.planned_epochs, progress.laps_per_second, total,
                     printable(progress.state));
}

std::string so_far_line(const Run& run) { return "S " + to_json_line(run) + "\n"; }

std::string result_line(const Run& run) { return "R " + to_json_line(run) + "\n"; }

ProbeLine parse_probe_line(std::string_view line) {
  if (line.starts_with("P ")) return parse_progress(line.substr(2));
  const bool so_far = line.starts_with("S ");
  if (!so_far && !line.starts_with("R ")) return std::monostate{};
  Result<Run> run = run_from_json_line(line.substr(2));
  if (!run) return run.error();
  if (so_far) return SuspendedRun{std::move(*run)};
  return std::move(*run);
}

void LineBuffer::append(std::string_view bytes) {
  const std::size_t open = bytes_.size() - begin_;
  too_long_ = too_long_ || (open + bytes.size() > most_bytes_ &&
                            bytes.find('\n') == std::string_view::npos);
  if (!too_long_) bytes_ += bytes;
}

std::string LineBuffer::take_rest() {
  std::string rest = bytes_.substr(begin_);
  bytes_.clear();
  begin_ = searched_ = 0;
  return rest;
}

std::optional<std::string> LineBuffer::next() {
  const std::size_t end = bytes_.find('\n', searched_);
  if (end == std::string::npos) {
    bytes_.erase(0, begin_);
    begin_ = 0;
    searched_ = bytes_.size();
    return std::nullopt;
  }
  std::string line = bytes_.substr(begin_, end - begin_);
  taken_ += static_cast<std::int64_t>(line.size()) + 1;
  begin_ = searched_ = end + 1;
  return line;
}

Run run_not_started(const RunContext& context, const std::string& why) {
  Run run;
  run.context = context;
  run.outcome = outcome::NotStarted{why};
  return run;
}

}  // namespace lapcast
