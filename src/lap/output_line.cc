#include "lap/output_line.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr std::array<std::string_view, 6> kGroupNames = {"epoch", "epochs",  "step",
                                                         "steps", "samples", "seconds"};
constexpr int kSeconds = 5;
constexpr LineCounters::Field LineCounters::*kCounts[] = {
    &LineCounters::epoch, &LineCounters::epochs, &LineCounters::step, &LineCounters::steps,
    &LineCounters::samples};

int index_of_group(std::string_view name) {
  const auto found = std::ranges::find(kGroupNames, name);
  return found == kGroupNames.end() ? -1 : static_cast<int>(found - kGroupNames.begin());
}

/// Returns the expression with the groups (?<name>...) written as (?P<name>...), which every RE2
/// reads.
std::string with_older_groups(std::string expression) {
  RE2::GlobalReplace(&expression, R"(\(\?<([A-Za-z_]))", R"((?P<\1)");
  return expression;
}

bool names_epochs(const std::string& expression) {
  return RE2::PartialMatch(expression, "(?i)epoch");
}

std::shared_ptr<const RE2> compiled(const std::string& expression) {
  RE2::Options options;
  options.set_max_mem(LinePattern::kMostMemory);
  options.set_log_errors(false);
  options.set_encoding(RE2::Options::EncodingLatin1);  // output may be anything
  return std::make_shared<const RE2>(expression, options);
}

template <class T>
std::optional<T> number_in(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end || text.size() > 15 || value < 0) return std::nullopt;
  return value;
}

/// Returns whether a progress bar says at its beginning that it is of the training.
bool is_of_training(std::string_view line) {
  static const RE2 kWords(R"((?i)^\W*(?:train|fit|epoch|step|iter))", RE2::Latin1);
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kWords);
}

/// Returns whether a progress bar says before its numbers that it is of preparations.
bool is_of_preparation(std::string_view line) {
  static const RE2 kWords(
      R"((?i)^[^0-9|]*\b(?:download|extract|unpack|unzip|load|fetch|read|map|filter|tokeniz|)"
      R"(pre-?process|prepar|cach|generat|index|convert|build|collect|verif|sanity)[a-z]*\b)",
      RE2::Latin1);
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kWords) &&
         !is_of_training(line);
}

/// Returns whether a line is of `docker build`: "Step 3/12 : RUN make".
bool is_of_docker(std::string_view line) {
  static const RE2 kForm(R"(^Step \d+/\d+ : [A-Z]{3,})", RE2::Latin1);
  return RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kForm);
}

/// Returns the seconds of "time=4.39s", "took 4.39 s", "(4.39 sec)".
std::optional<double> told_time(std::string_view line) {
  static const RE2 kTime(
      R"((?i)(?:\b(?:time|took|elapsed|duration)\b\W{0,3}|\()(\d+(?:\.\d+)?) ?s(?:ec(?:onds?)?)?\b)",
      RE2::Latin1);
  re2::StringPiece digits;
  if (!RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kTime, &digits))
    return std::nullopt;
  return number_in<double>({digits.data(), digits.size()});
}

}  // namespace

Result<LinePattern> LinePattern::of(std::string expression) {
  expression = with_older_groups(std::move(expression));
  auto made = compiled(expression);
  if (!made->ok())
    return because(fmt::format("'{}' is not a regular expression: {}", printable(expression, 100),
                               printable(made->error(), 200)));
  const int captures = made->NumberOfCapturingGroups();
  Groups groups(static_cast<std::size_t>(captures), -1);
  for (const auto& [number, name] : made->CapturingGroupNames()) {
    const int index = index_of_group(name);
    if (index < 0)
      return because(fmt::format("a group named '{}' means nothing; there are {}",
                                 printable(name, 40), fmt::join(kGroupNames, ", ")));
    groups[static_cast<std::size_t>(number - 1)] = index;
  }
  if (made->NamedCapturingGroups().empty()) {
    const int first = names_epochs(expression) ? 0 : 2;
    for (int i = 0; i < std::min(captures, 2); ++i) groups[static_cast<std::size_t>(i)] = first + i;
  }
  LinePattern pattern;
  pattern.forms_.push_back({std::move(made), std::move(groups), false});
  return pattern;
}

LinePattern LinePattern::usual() {
  LinePattern pattern;
  // "Epoch: [0][ 10/5005]"
  pattern.add(R"((?i)\bepoch:? ?\[(?P<epoch>\d+)\]\s*\[\s*(?P<step>\d+)/(?P<steps>\d+)\])");
  pattern.add(
      R"((?i)\bepoch\b[^0-9A-Za-z]{0,6}(?P<epoch>\d+)\b(?:\s*(?:/|of)\s*(?P<epochs>\d+))?)");
  pattern.add(
      R"((?i)\b(?:step|iter|iteration)\b[^0-9A-Za-z]{0,6}(?P<step>\d+)\b(?:\s*(?:/|of)\s*(?P<steps>\d+))?)");
  pattern.add(R"(\d+%\|[^|]*\|\s*(?P<step>\d+)/(?P<steps>\d+)\s*\[)", true);
  pattern.add(R"((?:^|: )(?P<step>\d+)it \[)", true);
  pattern.add("^\\s*(?P<step>\\d+)/(?P<steps>\\d+)\\s+(?:\\xe2\\x94\\x81|\\[[=>.])", true);
  return pattern;
}

void LinePattern::add(const char* expression, bool is_bar) {
  Form form{compiled(expression), {}, is_bar};
  form.groups.resize(static_cast<std::size_t>(form.expression->NumberOfCapturingGroups()), -1);
  for (const auto& [number, name] : form.expression->CapturingGroupNames())
    form.groups[static_cast<std::size_t>(number - 1)] = index_of_group(name);
  forms_.push_back(std::move(form));
}

bool LinePattern::take(const Form& form, std::string_view line, LineCounters& counters) {
  const re2::StringPiece text(line.data(), line.size());
  std::vector<re2::StringPiece> found(form.groups.size() + 1);
  if (!form.expression->Match(text, 0, text.size(), RE2::UNANCHORED, found.data(),
                              static_cast<int>(found.size())))
    return false;
  counters.is_bar |= form.is_bar;
  for (std::size_t i = 0; i < form.groups.size(); ++i) {
    const std::string_view digits(found[i + 1].data(), found[i + 1].size());
    const int field = form.groups[i];
    if (field < 0 || digits.empty()) continue;
    if (field == kSeconds) {
      if (!counters.seconds) counters.seconds = number_in<double>(digits);
    } else if (LineCounters::Field& count = counters.*kCounts[field]; !count) {
      count = number_in<std::int64_t>(digits);
    }
  }
  return true;
}

std::optional<LineCounters> LinePattern::match(std::string_view line) const {
  static const RE2 kFraction(R"(\d\.\d)", RE2::Latin1);
  LineCounters counters;
  bool any = false;
  for (const Form& form : forms_) any |= take(form, line, counters);
  if (!any || (counters.is_bar && !counters.epoch && is_of_preparation(line)) || is_of_docker(line))
    return std::nullopt;
  counters.has_no_word = counters.is_bar && !counters.epoch && !is_of_training(line);
  counters.has_fraction = RE2::PartialMatch(re2::StringPiece(line.data(), line.size()), kFraction);
  counters.line_seconds = told_time(line);
  return counters;
}

}  // namespace lapcast
