#include "remote/agent_protocol.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/units.h"
#include "run/repair.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

constexpr double kMostSeconds = 1e12;
constexpr std::size_t kMostReason = 1000;        // characters of a refusal
constexpr std::size_t kMostPrograms = 16;        // that a machine may list
constexpr std::string_view kWaits = "waiting ";  // begins the state of a waiting run

std::string_view take_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

/// Reads a number that is not negative and takes the whole word.
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

/// Returns what follows `mark` if the line begins with it.
std::optional<std::string_view> behind(std::string_view mark, std::string_view line) {
  if (!line.starts_with(mark)) return std::nullopt;
  return line.substr(mark.size());
}

/// Reads pairs of times; nothing when one of them is damaged.
std::optional<message::EarlierAttempts> read_attempts(std::string_view text) {
  message::EarlierAttempts earlier;
  while (!text.empty()) {
    CutOffAttempt& attempt = earlier.attempts.emplace_back();
    if (!read_seconds(take_word(text), attempt.time) ||
        !read_seconds(take_word(text), attempt.lost) || attempt.lost > attempt.time)
      return std::nullopt;
  }
  return earlier;
}

std::int64_t bytes_of_fact(std::string_view text) {
  std::int64_t bytes = 0;
  return read_number(text, bytes) ? bytes : 0;
}

void take_fact(MachineFacts& facts, std::string_view name, std::string_view value) {
  if (name == "folder") facts.folder = printable(value);
  if (name == "disk_free") facts.disk_free_bytes = bytes_of_fact(value);
  if (name == "disk") facts.disk_bytes = bytes_of_fact(value);
  if (name == "python") facts.python = printable(value, 60);
  if (name == "torch") facts.torch = printable(value, 60);
  if (name == "tensorflow") facts.tensorflow = printable(value, 60);
  if (name == "program" && facts.programs.size() < kMostPrograms)
    facts.programs.push_back(printable(value, 60));
}

}  // namespace

// Tasks -------------------------------------------------------------------------------------------

const std::vector<std::string>& agent_task_words() {
  static const std::vector<std::string> words{"record",     "begin",    "prepare", "follow",
                                              "make-ready", "received", "checks"};
  return words;
}

std::vector<std::string> agent_arguments(const AgentTask& task) {
  std::vector<std::string> arguments{
      "agent", agent_task_words()[static_cast<std::size_t>(task.kind)], task.folder};
  if (task.kind == AgentTask::Kind::follow) {
    arguments.push_back("--from");
    arguments.push_back(std::to_string(task.from));
  }
  return arguments;
}

// Messages ----------------------------------------------------------------------------------------

std::string to_line(const message::SignOfLife&) {
  return "L\n";
}
std::string to_line(const message::Accepted&) {
  return "B\n";
}
std::string to_line(const message::LacksProgram&) {
  return "N program\n";
}
std::string to_line(const message::Refused& refused) {
  return "X " + printable(refused.why, kMostReason) + "\n";
}
std::string to_line(const message::Started& started) {
  return fmt::format("B {}\n", started.clock_ns);
}

std::string to_line(const message::EarlierAttempts& earlier) {
  std::string line = "A";
  for (const CutOffAttempt& attempt : earlier.attempts)
    line += fmt::format(" {:.3f} {:.3f}", attempt.time.count(), attempt.lost.count());
  return line + "\n";
}

std::string to_line(const message::OutOfReach& silence) {
  return fmt::format("O {:.3f}\n", silence.time.count());
}

std::string to_line(const message::Fetched& fetched) {
  return fmt::format("F {}\n", fetched.bytes);
}

std::string progress_line(const ProbeProgress& progress) {
  std::string total = "-";
  if (progress.total)
    total = fmt::format("{:.3f}/{:.3f}/{:.3f}", progress.total->low.count(),
                        progress.total->mid.count(), progress.total->high.count());
  return fmt::format("P {:.3f} {} {} {} {:.6g} {} {}\n", progress.elapsed.count(), progress.laps,
                     progress.epoch, progress.planned_epochs, progress.laps_per_second, total,
                     printable(progress.state));
}

static void write_run(std::string_view mark, const Run& run, const TakeText& take) {
  take(mark);
  write_json_line(run, take);
  take("\n");
}

void write_run_so_far(const Run& run, const TakeText& take) {
  write_run("S ", run, take);
}

void write_result(const Run& run, const TakeText& take) {
  write_run(kResultMark, run, take);
}

std::string run_so_far_line(const Run& run) {
  return "S " + to_json_line(run) + "\n";
}

std::string result_line(const Run& run) {
  return std::string(kResultMark) + to_json_line(run) + "\n";
}

std::optional<ProbeProgress> parse_progress(std::string_view line) {
  auto text = behind("P ", line);
  if (!text) return std::nullopt;
  ProbeProgress progress;
  const bool whole = read_seconds(take_word(*text), progress.elapsed) &&
                     read_number(take_word(*text), progress.laps) &&
                     read_number(take_word(*text), progress.epoch) &&
                     read_number(take_word(*text), progress.planned_epochs) &&
                     read_number(take_word(*text), progress.laps_per_second) &&
                     read_total(take_word(*text), progress.total);
  if (!whole || !std::isfinite(progress.laps_per_second)) return std::nullopt;
  progress.state = printable(*text);
  progress.waits = progress.state.starts_with(kWaits);
  return progress;
}

AgentMessage parse_agent_message(std::string_view line) {
  if (line == "L") return message::SignOfLife{};
  if (line == "B") return message::Accepted{};
  if (line == "N program") return message::LacksProgram{};
  if (const auto system = behind("N tool ", line))
    return message::LacksLapcast{std::string(*system)};
  if (const auto why = behind("X ", line)) return message::Refused{printable(*why, kMostReason)};
  if (const auto clock = behind("B ", line)) {
    message::Started started;
    if (read_number(*clock, started.clock_ns)) return started;
  }
  if (const auto times = behind("A ", line))
    if (auto earlier = read_attempts(*times)) return std::move(*earlier);
  if (const auto seconds = behind("O ", line)) {
    message::OutOfReach silence;
    if (read_seconds(*seconds, silence.time)) return silence;
  }
  if (const auto bytes = behind("F ", line)) {
    message::Fetched fetched;
    if (read_number(*bytes, fetched.bytes) && fetched.bytes > 0) return fetched;
  }
  if (auto progress = parse_progress(line)) return std::move(*progress);
  const bool so_far = line.starts_with("S ");
  if (!so_far && !line.starts_with(kResultMark)) return std::monostate{};
  Result<Run> run = run_from_json_line(line.substr(2));
  if (!run) return run.error();
  if (so_far) return RunSoFar{std::move(*run)};
  return std::move(*run);
}

// Checks ------------------------------------------------------------------------------------------

CheckQuestion parse_question(std::string_view line) {
  if (line == "clock") return question::Clock{};
  if (line == "facts") return question::Facts{};
  question::Take take;
  if (const auto bytes = behind("take ", line); bytes && read_number(*bytes, take.bytes))
    return take;
  return std::monostate{};
}

std::string to_line(const CheckQuestion& asked) {
  if (const auto* take = std::get_if<question::Take>(&asked))
    return fmt::format("take {}\n", take->bytes);
  return std::holds_alternative<question::Clock>(asked) ? "clock\n" : "facts\n";
}

std::string clock_answer(std::int64_t since_1970_ns) {
  return fmt::format("clock {}\n", since_1970_ns);
}

std::optional<std::int64_t> parse_clock_answer(std::string_view line) {
  std::int64_t time_ns = 0;
  const auto text = behind("clock ", line);
  if (!text || !read_number(*text, time_ns) || time_ns == 0) return std::nullopt;
  return time_ns;
}

std::string facts_lines(const MachineFacts& facts) {
  Run run;  // its JSON is how a description travels
  run.context.id = "facts";
  run.context.machine = facts.machine;
  std::string text =
      fmt::format("machine {}\nfolder {}\ndisk_free {}\ndisk {}\n", to_json_line(run),
                  printable(facts.folder, 4096), facts.disk_free_bytes, facts.disk_bytes);
  text += fmt::format("python {}\ntorch {}\ntensorflow {}\n", facts.python, facts.torch,
                      facts.tensorflow);
  for (const std::string& program : facts.programs) text += fmt::format("program {}\n", program);
  return fmt::format("{}{}\n", text, kEndOfFacts);
}

Result<MachineFacts> parse_facts(std::string_view text) {
  MachineFacts facts;
  bool described = false;
  LineBuffer lines;
  lines.append(text);
  while (const auto line = lines.next()) {
    if (*line == kEndOfFacts && described) return facts;
    std::string_view value = *line;
    const std::string_view name = take_word(value);
    if (name != "machine") {
      take_fact(facts, name, value);
      continue;
    }
    Result<Run> run = run_from_json_line(value);
    if (!run) return because("what it says of itself cannot be read: " + run.error().text);
    facts.machine = std::move(run->context.machine);
    repair(facts.machine);  // what cannot be true counts as not known
    described = true;
  }
  return because("what it says of itself was cut off");
}

// Lines -------------------------------------------------------------------------------------------

void LineBuffer::append(std::string_view bytes) {
  const std::size_t open = bytes_.size() - begin_;
  too_long_ = too_long_ ||
              (open + bytes.size() > most_bytes_ && bytes.find('\n') == std::string_view::npos);
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
  const bool is_all = begin_ == 0 && end + 1 == bytes_.size();
  std::string line = is_all ? std::move(bytes_) : bytes_.substr(begin_, end - begin_);
  line.resize(end - begin_);
  taken_ += static_cast<std::int64_t>(line.size()) + 1;
  begin_ = searched_ = is_all ? 0 : end + 1;
  if (is_all) bytes_.clear();
  return line;
}

Run run_not_started(const RunContext& context, const std::string& why) {
  Run run;
  run.context = context;
  run.outcome = outcome::NotStarted{why};
  return run;
}

}  // namespace lapcast
