#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/error.h"
#include "report/table.h"
#include "store/store.h"

namespace lapcast {

/// What every command shares: global options and the program behind "--".
struct Globals {
  std::string store_file;            // --store; empty = default_store_file()
  std::string format = "table";      // --format
  bool quiet = false;                // --quiet: no progress
  std::vector<std::string> program;  // what stands behind "--" on the command line
  bool program_given = false;

  Format chosen_format() const { return parse_format(format); }
  std::filesystem::path store_path() const;
  Store open_store() const { return Store::open(store_path()); }
  /// For commands that only read; Error when there is no store yet.
  Store open_existing_store() const { return Store::open_existing(store_path()); }
};

/// Writes tables to stdout in the chosen format; colours on a terminal without NO_COLOR.
void print(const Globals& globals, const std::vector<Table>& tables);

/// The program behind "--"; Error (usage) with an example when there is none, or when a command
/// that takes none was given one.
const std::vector<std::string>& program_of(const Globals& globals, const std::string& command);

/// What parse() makes of an option's value; its Error becomes one of usage that names the option.
template <class Parse>
auto of_option(const char* name, Parse parse) {
  try {
    return parse();
  } catch (const Error& error) {
    throw Error(ExitCode::usage, std::string(name) + ": " + error.what());
  }
}

}  // namespace lapcast
