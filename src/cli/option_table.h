#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "core/error.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Says what only some options need.
struct OptionDetails {
  const char* one_of = "";       // the values that are accepted, "cpu|cuda"; empty = any
  std::int64_t most = 0;         // the largest number that is accepted; 0 = no limits
  std::int64_t least = 1;        // the smallest number, where there is a largest one
  bool required = false;         // the command cannot do without it
  bool comma_separated = false;  // one argument holds several values
  const char* excludes = "";     // an option of an earlier row that it cannot stand beside
  const char* needs = "";        // an option of an earlier row without which it makes no sense
};

inline constexpr OptionDetails kRequired{.required = true};
constexpr OptionDetails up_to(std::int64_t most) {
  return {.most = most};
}
constexpr OptionDetails one_of(const char* values) {
  return {.one_of = values};
}
constexpr OptionDetails excludes(const char* option) {
  return {.excludes = option};
}
/// Limits the options that count samples, laps or epochs.
inline constexpr OptionDetails kCount = up_to(std::int64_t{1} << 60);

/// Says what the argument ID of the commands about offloaded trainings is.
inline constexpr const char* kJobIdHelp = "of the training, its beginning, or \"last\"";

/// Is the target of an option whose text a parser turns into a value.
struct ParsedText {
  std::function<void(const std::string&)> take;  // throws Error that need not name the option
  std::string shown;                             // the default, in the help; empty = none
};

/// Returns the target that sets `value`, which must outlive the command, to what `parse` makes of
/// the text. add_options() adds the name of the option to an Error: "--deadline: 'soon' is not a
/// duration"; behind the name a text goes on that begins with "must".
template <class Value, class Parse>
ParsedText parsed(Value& value, Parse parse, std::string shown = "") {
  return {[&value, parse = std::move(parse)](const std::string& text) { value = parse(text); },
          std::move(shown)};
}

/// Returns a parser that refuses what is not above 0, and then shows the example.
template <class Parse>
auto above_zero(Parse parse, const char* example) {
  return [parse, example](const std::string& text) {
    const auto value = parse(text);
    if (value > decltype(value){}) return value;
    throw Error(ExitCode::usage, std::string("must be above 0, such as ") + example);
  };
}

/// Describes an option of a command, or an argument that has no name. The help shows the value that
/// the target holds as the default, unless that is 0 or empty. Without commas a list takes all
/// arguments up to the next option.
struct OptionRow {
  using Target =
      std::variant<bool*, int*, std::optional<int>*, std::int64_t*, std::size_t*, double*,
                   std::string*, std::vector<std::int64_t>*, std::vector<std::string>*, ParsedText>;

  std::string name;  // "-o,--output FILE": its names, and behind a blank the name of its value
  Target target;     // must outlive the command; a bool makes a flag without a value
  const char* help;
  OptionDetails details = {};
};

/// The group of options that only the whole help shows, `--help`; `-h` leaves it out.
inline constexpr const char* kAdvanced = "Advanced";

/// Adds the options to the command, in the order of the help, below the heading `group`.
void add_options(CLI::App& command, const std::vector<OptionRow>& rows,
                 const char* group = "Options");

}  // namespace lapcast
