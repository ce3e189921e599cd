#include "cli/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "cli/command_tree.h"
#include "cli/console.h"
#include "cli/progress_line.h"

namespace lapcast {

namespace {

constexpr std::size_t kWidestPlot = 120;  // columns

/// Returns whether the locale of the environment uses UTF-8.
bool shows_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"})
    if (const char* value = std::getenv(name); value != nullptr && *value != '\0') {
      const std::string_view locale = value;
      return locale.ends_with("UTF-8") || locale.ends_with("utf8");
    }
  return false;
}

}  // namespace

std::filesystem::path Globals::store_path() const {
  return store_file.empty() ? default_store_file() : std::filesystem::path(store_file);
}

TextStyle Globals::style() const {
  TextStyle style{.width = columns_of(STDOUT_FILENO), .ascii = true};
  if (isatty(STDOUT_FILENO) == 0) return style;
  style.colour = !plain && knows_escapes(STDOUT_FILENO) && std::getenv("NO_COLOR") == nullptr;
  style.ascii = plain || !shows_utf8();
  return style;
}

PlotStyle Globals::plot_style() const {
  const TextStyle text = style();
  if (text.width == 0) return {.ascii = true};
  return {std::min<std::size_t>(text.width, kWidestPlot), text.ascii};
}

std::size_t Globals::help_width() const {
  const std::size_t width = style().width;
  return width == 0 ? 100 : std::clamp<std::size_t>(width, 60, 120);
}

void print(const Globals& globals, const std::vector<Table>& tables) {
  write(tables, parse_format(globals.format), globals.style(), std::cout, globals.command);
  finish_stdout();
}

const std::vector<std::string>& program_of(const Globals& globals, const std::string& command) {
  if (globals.program.empty())
    throw Error(
        ExitCode::usage,
        fmt::format(
            "no program given; write it behind --, such as: lapcast {} -- ./train --batch 128",
            command));
  return globals.program;
}

CLI::App& CommandLine::add(CLI::App& parent, const char* name, const char* help, const char* footer,
                           std::function<ExitCode()> run, Takes takes) {
  CLI::App* command = parent.add_subcommand(name, help);
  if (footer != nullptr) command->footer(footer);
  command->require_subcommand(run ? 0 : 1, 1);
  command->callback([this, command, takes, run = std::move(run)] {
    if (!command->get_subcommands().empty()) return;
    globals.command = command_name(*command);
    action = run;
    takes_program = takes == Takes::program;
  });
  return *command;
}

}  // namespace lapcast
