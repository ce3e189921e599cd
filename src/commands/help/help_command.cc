#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/page_text.h"
#include "cli/pages.h"
#include "cli/subjects.h"
#include "core/display_width.h"
#include "core/nearest_name.h"
#include "core/units.h"

namespace lapcast {
namespace {

/// Returns the command of those words ("suite", "run"); nullptr if there is none.
const CLI::App* command_of(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const auto below =
        command->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
    if (below.empty()) return nullptr;
    command = below.front();
  }
  return command;
}

/// Returns the names of all pages and subjects.
std::vector<std::string> page_names(const std::vector<Page>& pages) {
  std::vector<std::string> names;
  for (const Page& page : pages) names.emplace_back(page.name);
  for (const Subject& subject : subjects()) names.emplace_back(subject.name);
  std::ranges::sort(names);
  return names;
}

[[noreturn]] void refuse(const CLI::App& app, const std::vector<Page>& pages,
                         const std::string& word) {
  std::vector<std::string> names = page_names(pages);
  for (const CommandEntry& command : command_tree(app)) names.push_back(command.name);
  throw Error(ExitCode::usage, fmt::format("there is no help on '{}'; {}", printable(word, 100),
                                           did_you_mean(word, {names.begin(), names.end()},
                                                        "lapcast help lists commands and pages")));
}

ExitCode help(const CommandLine& line, const CLI::App& app, const std::vector<std::string>& words) {
  const Globals& globals = line.globals;
  const std::vector<Page>& pages = line.program.pages;
  if (const CLI::App* command = command_of(app, words)) {
    // App::help() of the application would be the help of the given command: of `help`.
    std::string text = command->get_formatter()->make_help(command, "", CLI::AppFormatMode::Normal);
    if (words.empty()) {
      text += "\nPages, for lapcast help PAGE:\n";
      std::string names = " ";
      for (const std::string& name : page_names(pages)) names += " " + name;
      for (const std::string& row : wrapped(names, globals.help_width())) text += row + "\n";
    } else if (words.size() == 1 && help_text(pages, words.front())) {
      text += fmt::format("\nThe page of the docs: lapcast help {}.md\n", words.front());
    }
    write_to_stdout(text);
    return ExitCode::ok;
  }
  const auto text = words.size() == 1 ? help_text(pages, words.front()) : std::nullopt;
  if (!text) refuse(app, pages, words.back());
  const TextStyle style = globals.style();
  write_to_stdout(style.width == 0 ? std::string(*text)
                                   : page_text(*text, globals.help_width(), style.colour));
  return ExitCode::ok;
}

}  // namespace

static void add_help(CLI::App& app, CommandLine& line) {
  auto words = std::make_shared<std::vector<std::string>>();
  CLI::App& command = line.add(app, "help", "explain a command, or print a page of the docs",
                               "\nExamples:\n  lapcast help sweep\n  lapcast help fleet-file",
                               [&line, &app, words] { return help(line, app, *words); });
  add_options(command, {{"TOPIC", words.get(), "a command or a page [all of them]"}});
}

extern const NamedCommand kHelpCommand{"help", add_help};

}  // namespace lapcast
