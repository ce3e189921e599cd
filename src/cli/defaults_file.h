#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/money.h"

namespace CLI {
class App;
}

namespace lapcast {

/// Holds a default of the user, or of a project, for an option that the command line does not give.
struct OptionDefault {
  std::string option;  // "--budget"
  std::string value;   // "30s"; "true" or "false" for a flag
  friend bool operator==(const OptionDefault&, const OptionDefault&) = default;
};

/// Reads a file of defaults. A project that somebody else wrote may have one, so it can only say
/// how results look and how long to measure: never what is started, where, with which environment,
/// or where results are kept. Throws Error (bad input) that names file, line and column for any
/// other key, and for values of the wrong kind; `file` is for messages only.
/// The user's own file may also limit what rented machines cost (rent-per-month).
std::vector<OptionDefault> parse_defaults(std::string_view toml, const std::string& file,
                                          bool is_users_own = false);

/// Returns the most that all commands may spend on rented machines in a calendar month, from the
/// user's own file of defaults; nothing when it sets no limit.
std::optional<Money> rent_limit_a_month();

/// Returns whether the defaults apply to this command line. They do not if it asks for help, nor to
/// commands that explain, complete or report a lap, which a broken file must not stop.
bool takes_defaults(const CLI::App& app, const std::vector<std::string>& words);

/// Returns the defaults of $XDG_CONFIG_HOME/lapcast.toml, else ~/.config/lapcast.toml, followed by
/// those of ./lapcast.toml, which override them. An absent file has none.
std::vector<OptionDefault> read_defaults();

/// Adds defaults to the words of a command line: those of options that its command has, that the
/// words do not give or exclude, and that need no option that is missing.
std::vector<std::string> with_defaults(const CLI::App& app, std::vector<std::string> words,
                                       const std::vector<OptionDefault>& defaults);

}  // namespace lapcast
