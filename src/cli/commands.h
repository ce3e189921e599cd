#pragma once

#include <cstddef>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cli/option_table.h"
#include "cli/program_part.h"
#include "core/error.h"
#include "store/store.h"
#include "table/plot.h"
#include "table/table.h"

namespace lapcast {

/// Holds what all commands share: the global options and the program after "--".
struct Globals {
  std::string store_file;            // --store; empty = default_store_file()
  std::string own_prices;            // --own-prices; empty = as read_own_prices() says
  std::string format = "table";      // --format
  std::string command;               // the chosen one: "suite run"
  bool quiet = false;                // --quiet: no progress
  bool plain = false;                // --plain: no colours, nothing but ASCII
  std::vector<std::string> words;    // of the command line before "--", with their secrets
  std::vector<std::string> program;  // the words after "--" on the command line
  bool program_given = false;

  std::filesystem::path store_path() const;
  /// Returns the style of tables on stdout. Only a terminal gets colours, unless NO_COLOR is set,
  /// and more than ASCII, if its locale uses UTF-8.
  TextStyle style() const;
  /// Returns the style of drawings on stdout: as wide as the terminal; ASCII and 80 columns without
  /// one.
  PlotStyle plot_style() const;
  /// Returns the width of help texts in columns: the terminal's, within 60 to 120; 100 without one.
  std::size_t help_width() const;
  Store open_store() const { return Store::open(store_path()); }
  /// Opens the store for a command that only reads. Throws Error when there is no store yet.
  Store open_existing_store() const { return Store::open_existing(store_path()); }
};

/// Writes tables to stdout in the chosen format.
void print(const Globals& globals, const std::vector<Table>& tables);

/// Returns the program after "--". Throws Error (usage) with an example if there is none.
const std::vector<std::string>& program_of(const Globals& globals, const std::string& command);

/// Says whether a program may follow "--".
enum class Takes { options, program };

/// Refers to a command that was added and to its options.
template <class Options>
struct AddedCommand {
  CLI::App& app;
  Options& options;
};

/// Collects what the command line says: the global options, and what the chosen command does. It
/// must outlive the commands that are added to it.
struct CommandLine {
  Globals globals;
  std::function<ExitCode()> action;  // runs the chosen command
  bool takes_program = false;        // the chosen command takes a program after "--"
  ProgramPart program;               // all parts of this lapcast

  /// Adds a command below another, with its help and its help footer, which by default is the
  /// app's. If the command is chosen, and none below it, `run` becomes the action; without `run`
  /// one below it has to be chosen.
  CLI::App& add(CLI::App& parent, const char* name, const char* help, const char* footer,
                std::function<ExitCode()> run, Takes takes = Takes::options);
  CLI::App& add(CLI::App& parent, const char* name, const char* help, const char* footer,
                ExitCode (*run)(const Globals&)) {
    return add(parent, name, help, footer, [this, run] { return run(globals); });
  }
  template <class Options>
  AddedCommand<Options> add(CLI::App& parent, const char* name, const char* help,
                            const char* footer, ExitCode (*run)(const Globals&, const Options&),
                            Takes takes = Takes::options) {
    auto options = std::make_shared<Options>();
    const auto action_of = [this, run, options] { return run(globals, *options); };
    return {add(parent, name, help, footer, action_of, takes), *options};
  }
};

}  // namespace lapcast
