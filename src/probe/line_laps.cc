#include "probe/line_laps.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/escape_sequences.h"
#include "core/units.h"
#include "lap/lap_log_writer.h"
#include "lap/laps_kind.h"
#include "lap/suggested_pattern.h"
#include "probe/ids_and_time.h"
#include "run/race_outcomes.h"

namespace lapcast {
namespace {

constexpr std::size_t kLinesForAdvice = 20;
constexpr std::int64_t kFewestKept = 4;  // lines with counters; fewer may be anything

LinePattern pattern_of(const std::string& expression) {
  if (expression.empty()) return LinePattern::usual();
  auto pattern = LinePattern::of(expression);
  if (!pattern) throw Error(ExitCode::usage, "--lap-line: " + pattern.error().text);
  return *std::move(pattern);
}

}  // namespace

LineLaps::LineLaps(const std::optional<LapSource>& source, std::filesystem::path lap_folder)
    : source_(source.value_or(LapSource{})), file_(std::move(lap_folder) / "laps.output.log") {
  if (!source_.whole) pattern_ = pattern_of(source_.line);
}

void LineLaps::begin(MonotonicNs started_ns, const std::string& host) {
  hello_ = {.clock_ns = started_ns,
            .pid = getpid(),
            .host = host,
            .emitter = emitter_of_lines(source_.line, source_.whole)};
  hello_.wall_seconds = from_ns(clock_ns(CLOCK_REALTIME) - (monotonic_ns() - started_ns)).count();
}

void LineLaps::take(Stream stream, std::string_view bytes, MonotonicNs now) {
  if (!pattern_) return;
  std::string& rest = rests_[stream == Stream::output ? 0 : 1];
  const bool is_asked = !source_.line.empty();
  std::size_t lines = 0;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find_first_of("\r\n");
    const std::string_view piece = bytes.substr(0, end);
    if (rest.size() < kLongestLine) rest += piece.substr(0, kLongestLine - rest.size());
    if (end == bytes.npos) return;
    bytes.remove_prefix(end + 1);
    if (!rest.empty() && (is_asked || ++lines <= kMostOfARead))
      take_line(rest, now - hello_.clock_ns);
    rest.clear();
  }
}

OutputListener LineLaps::listener() {
  return [this](Stream stream, std::string_view bytes) { take(stream, bytes, monotonic_ns()); };
}

void LineLaps::take_line(std::string_view line, std::int64_t at_ns) {
  const bool is_asked = !source_.line.empty();
  if (!is_asked && !chosen_ && looked_++ >= kMostLooked) return;
  const std::string text = without_escapes(is_asked ? line : line.substr(0, kLongestUsual));
  if (last_lines_.size() == kLinesForAdvice) last_lines_.erase(last_lines_.begin());
  last_lines_.push_back(text.substr(0, 200));
  if (!is_asked && !chosen_ && printed_.size() < kMostLearned &&
      (text.find_first_of("0123456789") != text.npos || LearnedLines::names_columns(text)))
    printed_.push_back({at_ns, text});
  const auto counters = counters_of(text);
  if (!counters) return;
  if (is_asked)
    write(laps_.take(*counters, at_ns));
  else if (chosen_)
    count(*counters, at_ns);
  else
    keep_in_mind(*counters, text, at_ns);
}

std::optional<LineCounters> LineLaps::counters_of(const std::string& line) const {
  if (learned_) return learned_->match(line);
  const auto counters = pattern_->match(line);
  return counters || !source_.line.empty() ? counters : LearnedLines::validation_in(line);
}

/// Learns the forms of lines from what was printed so far, and takes them for those of the usual
/// ones where they catch more lines that count steps, or epochs where these are all they count.
void LineLaps::learn() {
  std::vector<std::string> texts;
  for (const Printed& line : printed_) texts.push_back(line.text);
  auto learned = LearnedLines::of(texts);
  const bool of_epochs = learned && learned->counts_epochs_alone();
  const auto usual = std::ranges::count_if(seen_, [&](const Seen& seen) {
    return !seen.line.is_validation && (of_epochs || seen.line.step);
  });
  if (!learned || std::cmp_less_equal(learned->lines(), usual)) return;
  learned_ = std::move(learned);
  seen_.clear();
  for (const Printed& line : printed_)
    if (const auto counters = counters_of(line.text))
      keep_in_mind(*counters, line.text, line.at_ns);
}

void LineLaps::keep_in_mind(const LineCounters& counters, std::string_view line,
                            std::int64_t at_ns) {
  if (seen_.size() >= kMostKept) return;
  const bool is_new = seen_.empty() || seen_.back().line.steps != counters.steps;
  seen_.push_back({counters, at_ns, std::string(is_new ? line.substr(0, 80) : "")});
}

/// Counts a line of the chosen counter, or one of epochs. Another counter, such as a validation's
/// bar, counts from its second consecutive line on: lines of a bar around the others are never
/// consecutive. Without a number of steps it is not known whose counter it is.
void LineLaps::count(const LineCounters& line, std::int64_t at_ns) {
  const bool goes_on =
      chosen_->steps && line.steps && line.steps == before_.steps && line.step > before_.step;
  before_ = line;
  if (!line.step ||
      (chosen_->has_steps && (line.steps == chosen_->steps || goes_on || line.is_validation)))
    write(laps_.take(line, at_ns));
}

/// Counts the remembered lines: those of the counter that lasted longest, and those of epochs. If
/// most lines came at once, as from a buffer, their times mean nothing. While the program is
/// running, a bar without a word counts only after it has started again: the first one may belong
/// to a preparation.
void LineLaps::count_kept(bool has_ended) {
  struct Counter {
    std::int64_t lasted_ns = 0;
    std::int64_t lines = 0;
    LineCounters::Field step = {};  // of its last line
    bool may_be_preparation = true;
    std::string example;
  };
  if (!learned_) learn();
  judged_ = seen_.size() + printed_.size();
  std::map<LineCounters::Field, Counter> counters;  // by their number of steps
  const Seen* before = nullptr;
  std::int64_t at_once = 0;
  for (const Seen& seen : seen_) {
    if (seen.line.is_validation) continue;
    Counter& counter = counters[seen.line.step ? seen.line.steps : LineCounters::Field(-1)];
    ++counter.lines;
    if (counter.example.empty()) counter.example = seen.text;
    if (!seen.line.has_no_word || seen.line.step < counter.step) counter.may_be_preparation = false;
    counter.step = seen.line.step;
    if (before != nullptr) {
      at_once += seen.at_ns == before->at_ns;
      if (seen.line.steps == before->line.steps) counter.lasted_ns += seen.at_ns - before->at_ns;
    }
    before = &seen;
  }
  const auto longest = std::ranges::max_element(
      counters, {}, [](const auto& entry) { return entry.second.lasted_ns; });
  if (longest == counters.end() || longest->second.lines < kFewestKept ||
      2 * at_once > std::ssize(seen_) || (longest->second.may_be_preparation && !has_ended))
    return;
  const bool has_steps = longest->first != LineCounters::Field(-1);
  chosen_ = Chosen{has_steps, has_steps ? longest->first : std::nullopt};
  std::string text = fmt::format(
      "0 note {}\n",
      lap_log_note(fmt::format("laps are from its output, such as: {}", longest->second.example)));
  for (const Seen& seen : seen_)
    if (!seen.line.step ||
        (has_steps && (seen.line.steps == longest->first || seen.line.is_validation)))
      text += laps_.take(seen.line, seen.at_ns);
  write(text);
  before_ = seen_.back().line;
  seen_.clear();
  printed_.clear();
}

/// Reports the number of epochs in the last line that has one, for a program whose own laps lack
/// the length of the training. The line must be of the same epoch as these laps, or of an adjacent
/// one.
void LineLaps::tell_plan(const LapLog& log) {
  const bool is_known = log.plan && (log.plan->epochs > 0 || log.plan->steps > 0);
  const bool has_epochs = !log.epochs.empty() || (log.plan && log.plan->iterations_per_epoch > 0);
  if (has_plan_ || is_known || !has_epochs) return;
  const auto seen = std::find_if(seen_.rbegin(), seen_.rend(), [](const Seen& each) {
    return each.line.epochs && each.line.epoch;
  });
  if (seen == seen_.rend()) return;
  const std::int64_t epochs = *seen->line.epochs;
  const std::int64_t now = log.epochs.empty() ? *seen->line.epoch : log.epochs.back().epoch;
  if (now > epochs || std::abs(*seen->line.epoch - now) > 1) return;
  has_plan_ = true;
  write(plan_line(seen->at_ns, {.epochs = epochs, .from = fmt::format("epoch/{}", epochs)}));
}

bool LineLaps::wants_look(MonotonicNs now) const {
  const bool is_usual = source_.line.empty() && !source_.whole;
  const auto lasted = [&] {
    const std::int64_t first = seen_.empty() ? printed_.front().at_ns : seen_.front().at_ns;
    return from_ns(now - hello_.clock_ns - first);
  };
  return is_usual && !chosen_ && !has_plan_ && now >= next_look_ &&
         !(seen_.empty() && printed_.empty()) && lasted() >= kWait;
}

void LineLaps::look(MonotonicNs now, const LapLog& log, bool may_come) {
  next_look_ = now + kLookEvery;
  if (!log.laps.empty())
    tell_plan(log);
  else if (!may_come && 4 * (seen_.size() + printed_.size()) >
                            5 * judged_)  // a quarter more than at the last look
    count_kept(false);
}

void LineLaps::finish(MonotonicNs ended_ns, bool by_itself, const LapLog& log, bool may_come) {
  const std::int64_t ended = ended_ns - hello_.clock_ns;
  if (source_.whole) {
    if (by_itself) write(fmt::format("0 plan steps=1\n{0} i 0\n{0} bye\n", ended));
    return;
  }
  for (std::string& rest : rests_)
    if (const std::string line = std::exchange(rest, {}); !line.empty()) take_line(line, ended);
  const bool is_usual = source_.line.empty();
  if (is_usual && !chosen_ && !log.laps.empty())
    tell_plan(log);
  else if (is_usual && !chosen_ && !may_come)
    count_kept(true);
  if (!is_usual || chosen_) write(laps_.finish(ended, by_itself));
}

void LineLaps::write(const std::string& text) {
  if (text.empty()) return;
  if (!log_.is_open()) {
    log_ = FileDescriptor(
        open(file_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, S_IRUSR | S_IWUSR));
    if (!log_.is_open()) return;
    write_all(log_.get(), lap_log_opening(hello_));
  }
  write_all(log_.get(), text);
}

void LineLaps::correct(Outcome& outcome, const LapLog& log, const std::string& limit) const {
  auto* const none = std::get_if<outcome::NoLaps>(&outcome);
  if (none == nullptr) return;
  if (!log.laps.empty())
    outcome = outcome::BudgetSpent{limit};
  else if (!was_stopped_by_race(outcome))  // else it starts anew, recognized by these words
    none->why += "; " + advice();
}

std::string LineLaps::advice() const {
  if (source_.whole) return "--whole needs the program's end: a longer --budget";
  if (!source_.line.empty())
    return last_lines_.empty() ? "it printed nothing"
                               : fmt::format("no line fits --lap-line; the last one was \"{}\"",
                                             printable(last_lines_.back(), 80));
  const auto tried = suggested_pattern(last_lines_);
  if (!tried) return "`--whole` takes the whole run for one lap";
  return fmt::format(
      "it printed \"{}\": --lap-line '{}' takes such lines for laps: of the last {}, {}, with the "
      "steps {} to {}",
      printable(last_lines_.back(), 60), printable(tried->expression, 80), last_lines_.size(),
      tried->lines, tried->first, tried->last);
}

}  // namespace lapcast
