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
  std::int64_t least = 1;        // the smallest accepted number; only with `most`
  bool required = false;         // the command needs it
  bool comma_separated = false;  // one argument holds several values
  const char* excludes = "";     // an option of an earlier row that excludes this one
  const char* needs = "";        // an option of an earlier row that this one needs
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

inline constexpr const char* kJobIdHelp = "of the training, its beginning, or \"last\"";

/// Holds the target of an option whose text is converted by a parser.
struct ParsedText {
  std::function<void(const std::string&)> take;  // throws Error that need not name the option
  std::string shown;                             // the default, in the help; empty = none
};

/// Returns the target that sets `value`, which must outlive the command, to the parsed text.
/// add_options() puts the name of the option before an Error: "--deadline: 'soon' is not a
/// duration"; without the colon if the text begins with "must".
template <class Value, class Parse>
ParsedText parsed(Value& value, Parse parse, std::string shown = "") {
  return {[&value, parse = std::move(parse)](const std::string& text) { value = parse(text); },
          std::move(shown)};
}

/// Returns a parser that refuses values that are not above 0, with the example in its message.
template <class Parse>
auto above_zero(Parse parse, const char* example) {
  return [parse, example](const std::string& text) {
    const auto value = parse(text);
    if (value > decltype(value){}) return value;
    throw Error(ExitCode::usage, std::string("must be above 0, such as ") + example);
  };
}

/// Returns a parser that refuses values below 0, with the example in its message.
template <class Parse>
auto not_below_zero(Parse parse, const char* example) {
  return [parse, example](const std::string& text) {
    const auto value = parse(text);
    if (value >= decltype(value){}) return value;
    throw Error(ExitCode::usage, std::string("must not be below 0, such as ") + example);
  };
}

/// Describes an option of a command, or an argument that has no name. The help shows the value that
/// the target holds as the default, unless that is 0 or empty. Without commas a list takes all
/// arguments up to the next option.
struct OptionRow {
  using Target =
      std::variant<bool*, int*, std::optional<int>*, std::int64_t*, std::size_t*, double*,
                   std::string*, std::vector<std::int64_t>*, std::vector<std::string>*, ParsedText>;

  std::string name;  // "-o,--output FILE": its names, then a blank and the name of its value
  Target target;     // must outlive the command; a bool makes a flag without a value
  const char* help;
  OptionDetails details = {};
};

/// Names the group of options that --help shows and -h leaves out.
inline constexpr const char* kAdvanced = "Advanced";

/// Adds the options to the command, in the order of the help, below the heading `group`.
void add_options(CLI::App& command, const std::vector<OptionRow>& rows,
                 const char* group = "Options");

}  // namespace lapcast
