#include "formats/metrics_columns.h"

#include <re2/re2.h>

#include <algorithm>
#include <iterator>
#include <span>

#include "core/lower_case.h"
#include "core/moment.h"
#include "formats/imported.h"

namespace lapcast {
namespace {

bool is_one_of(std::string_view name, std::span<const std::string_view> names) {
  return std::ranges::find(names, name) != names.end();
}

}  // namespace

std::optional<double> cell_number(std::string_view cell) {
  if (const auto number = text_as_number(cell)) return number;
  static const RE2 pattern(R"(\s*(?:(\d{1,4}):)?(\d{1,3}):(\d{2}(?:\.\d+)?)\s*)");
  int hours = 0, minutes = 0;
  std::string hours_text;
  double seconds = 0;
  if (RE2::FullMatch(re2::StringPiece(cell.data(), cell.size()), pattern, &hours_text, &minutes,
                     &seconds)) {
    if (!hours_text.empty()) hours = std::stoi(hours_text);
    return hours * 3600.0 + minutes * 60.0 + seconds;
  }
  return parse_moment(cell);
}

std::string plain_name(std::string_view column) {
  std::string name = lower_case(column.substr(column.rfind('/') + 1));
  name.erase(0, std::min(name.find_first_not_of('_'), name.size()));
  for (char& c : name)
    if (c == ' ' || c == '-') c = '_';
  return name;
}

std::optional<double> unit_of_times(std::string_view column) {
  static const RE2 word(R"(([a-z]+))");
  static const RE2 times(
      "time|times|dur|duration|elapsed|runtime|walltime|sec|secs|seconds|took|"
      "msec|milliseconds|minutes|hours");
  static const RE2 others(
      "steps?|batch(?:es)?|it|its|iter|iters|iterations?|samples?|examples?|images?|imgs?|frames?|"
      "tokens?|words?|data|load|loading|eval|val|valid|validation|test|infer|inference|left|"
      "remaining|eta|lr|best|forward|backward");
  const std::string name = lower_case(column);
  re2::StringPiece rest(name), each;
  double unit = 1;
  bool is_time = false;
  while (RE2::FindAndConsume(&rest, word, &each)) {
    if (RE2::FullMatch(each, others)) return std::nullopt;
    is_time = is_time || RE2::FullMatch(each, times);
    if (RE2::FullMatch(each, "ms|msec|milliseconds")) unit = 1e-3;
    if (RE2::FullMatch(each, "min|mins|minutes")) unit = 60;
    if (RE2::FullMatch(each, "h|hr|hrs|hours")) unit = 3600;
  }
  return is_time ? std::optional(unit) : std::nullopt;
}

bool counts_epochs(std::string_view column) {
  return is_one_of(plain_name(column), kEpochs);
}

bool counts_steps(std::string_view column, bool any_name) {
  return is_one_of(plain_name(column),
                   std::span(kSteps).first(any_name ? std::size(kSteps) : kSureSteps));
}

bool names_times(std::string_view column) {
  const std::string name = plain_name(column);
  return is_one_of(name, kTimesSinceStart) || is_one_of(name, kMoments) ||
         is_one_of(name, kLengths) || unit_of_times(column).has_value();
}

}  // namespace lapcast
