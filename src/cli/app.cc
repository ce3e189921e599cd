#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <memory>
#include <new>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command_tree.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/defaults_file.h"
#include "cli/front_page.h"
#include "cli/suggestion.h"
#include "cli/version.h"
#include "core/display_width.h"
#include "core/units.h"
#include "lease/keeper.h"
#include "query/input_files.h"
#include "remote/patience.h"
#include "remote/ssh.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kAppFooter = R"(
Start here:
  lapcast probe -- python3 train.py                    a few laps, then a forecast
  lapcast sweep --batch 64,128 -- python3 train.py --batch {batch}
  lapcast sweep fleet.toml -- python3 train.py         on several machines
  lapcast rank --by cost                               which is cheapest, and how sure
  lapcast verify --top 2                               run the best to the end and compare
  lapcast watch --price 3.06 --max-cost 20 -- ./train  the real run: progress, forecast, limits
  lapcast offload                                      the whole training on the winner, detached

`lapcast help COMMAND` has examples for each command. Exit codes: 0 done, 1 some probes failed,
2 usage, 3 bad input file, 4 the program failed, 5 store, 6 machine, 7 stopped at a limit,
130 interrupted.)";

/// Merges all parts. Groups of commands with the same name become one, and pages are sorted.
ProgramPart joined(const std::vector<ProgramPart>& parts) {
  ProgramPart whole;
  const auto append = [](auto& all, const auto& more) {
    all.insert(all.end(), more.begin(), more.end());
  };
  for (const ProgramPart& part : parts) {
    for (const CommandGroup& group : part.commands) {
      const auto known = std::ranges::find(whole.commands, group.name, &CommandGroup::name);
      if (known == whole.commands.end())
        whole.commands.push_back(group);
      else
        append(known->commands, group.commands);
    }
    append(whole.pages, part.pages);
    append(whole.page_parts, part.page_parts);
    append(whole.page_kinds, part.page_kinds);
  }
  std::ranges::sort(whole.pages, {}, &Page::name);
  return whole;
}

/// Adds only the command of that name, because adding all takes a millisecond. Adds all commands if
/// none has that name, or if that command describes the others.
void add_commands(CLI::App& app, CommandLine& line, std::string_view name) {
  const std::vector<CommandGroup>& groups = line.program.commands;
  const bool tells_of_others =
      name == "help" || name == "man" || name == "complete" || name == "completion";
  const auto is_named = [&](const NamedCommand& command) { return command.name == name; };
  const bool is_alone = !tells_of_others && std::ranges::any_of(groups, [&](const auto& group) {
    return std::ranges::any_of(group.commands, is_named);
  });
  for (const CommandGroup& group : groups)
    for (const NamedCommand& command : group.commands) {
      if (is_alone && !is_named(command)) continue;
      command.add(app, line);
      CLI::App* const added = app.get_subcommands({}).back();
      added->group(command.is_hidden ? "" : std::string(group.name));
    }
}

/// Wraps a help text to `width` columns. Joins lines of prose, which are not indented, first.
std::string fitted(const std::string& text, std::size_t width) {
  std::string result;
  std::string prose;
  const auto add = [&](const std::string& line) {
    for (const std::string& part : wrapped(line, width)) result += part + "\n";
  };
  const auto end_prose = [&] {
    if (!prose.empty()) add(prose);
    prose.clear();
  };
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool is_prose = !line.empty() && line.front() != ' ';
    if (!is_prose || line.starts_with("Usage: ")) end_prose();
    if (is_prose)
      prose += (prose.empty() ? "" : " ") + line;
    else if (display_width(line) > width)
      add(line);
    else
      result += line + "\n";
  }
  end_prose();
  return result;
}

/// Formats usage lines that name the program after "--", and options without the parser's
/// description of their values.
class HelpFormatter : public CLI::Formatter {
 public:
  bool is_short = false;  // without the advanced options
  std::size_t width = 0;  // columns of the text

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    std::string text = CLI::Formatter::make_help(app, std::move(name), mode);
    for (std::size_t at; (at = text.find("\n\n\n")) != text.npos;) text.erase(at, 1);
    return fitted(text, width);
  }
  std::string make_option_desc(const CLI::Option* option) const override {
    return fmt::format("{}", fmt::join(beside_names(option->get_description()), "\n"));
  }
  std::string make_subcommand(const CLI::App* command) const override {
    const std::string next_row = "\n" + std::string(get_column_width(), ' ');
    return fmt::format("{:<{}}{}\n", "  " + command->get_name(), get_column_width(),
                       fmt::join(beside_names(command->get_description()), next_row));
  }
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (is_short && group == kAdvanced) return "";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
  std::string make_usage(const CLI::App* app, std::string) const override {
    return "Usage: " + usage_of(*app) + "\n";
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0) return "";
    const std::string type = option->get_type_name();
    const std::size_t colon = std::min(type.find(':'), type.size());
    const bool is_choice = type.substr(colon).starts_with(":{");
    std::string text = " " + (is_choice ? type.substr(colon + 1) : type.substr(0, colon));
    if (!option->get_default_str().empty()) text += " [" + option->get_default_str() + "]";
    return text;
  }

 private:
  /// Wraps a description to the width that is left next to the column of names.
  std::vector<std::string> beside_names(const std::string& description) const {
    return wrapped(description, width - std::min(width - 20, get_column_width()));
  }
};

void add_global_options(CLI::App& app, Globals& globals) {
  app.add_option("--store", globals.store_file,
                 "file that keeps all runs [$LAPCAST_STORE or ~/.local/share/lapcast/lapcast.db]")
      ->type_name("FILE");
  app.add_option("--own-prices", globals.own_prices,
                 "your discounts, prices and currencies [$LAPCAST_PRICES or "
                 "~/.config/lapcast-prices.toml]")
      ->type_name("FILE");
  app.add_option("--format", globals.format, "table, csv, json, jsonl or markdown")
      ->type_name("FORMAT")
      ->check([](const std::string& name) {
        try {
          parse_format(name);
        } catch (const Error& error) {
          return std::string(error.what());
        }
        return std::string();
      });
  app.add_flag_callback(
      "--json", [&globals] { globals.format = "json"; },
      "the same as --format json: lapcast help json");
  app.add_flag("-q,--quiet", globals.quiet, "no progress on stderr");
  app.add_flag("--plain", globals.plain, "no colours, and nothing but ASCII of lapcast's own");
}

/// Masks the secrets of the command line where other users of the machine can see it: in
/// /proc/PID/cmdline. Processes that are forked from this one have the same command line.
void hide_secrets(int argc, char** argv) {
  const std::vector<std::string> shown = masked_program({argv, argv + argc});
  for (int i = 0; i < argc; ++i) {
    const std::size_t length = std::strlen(argv[i]);
    if (shown[static_cast<std::size_t>(i)] == argv[i]) continue;
    std::memset(argv[i], 0, length);
    shown[static_cast<std::size_t>(i)].copy(argv[i], length);
  }
}

/// Splits off the program and its arguments after the first "--"; CLI11 gets the rest.
std::vector<std::string> split_program(int argc, char** argv, Globals& globals) {
  std::vector<std::string> own;
  for (int i = 1; i < argc; ++i) {
    if (std::strcmp(argv[i], "--") == 0) {
      globals.program.assign(argv + i + 1, argv + argc);
      globals.program_given = true;
      break;
    }
    own.emplace_back(argv[i]);
  }
  hide_secrets(argc, argv);
  globals.words = own;
  return own;
}

/// Returns the chosen command, the deepest one ("suite run"), or the app itself if there is none.
const CLI::App& chosen_command(const CLI::App& app) {
  const auto chosen = app.get_subcommands();
  return chosen.empty() ? app : chosen_command(*chosen.front());
}

int print_error(const std::string& message, ExitCode code) {
  std::fflush(stdout);
  std::istringstream lines(masked_text(message));
  for (std::string line; std::getline(lines, line);) say("{}", line);
  return static_cast<int>(code);
}

/// Returns the parser of a command line whose first word is `first`; `line` must outlive it.
std::unique_ptr<CLI::App> make_app(CommandLine& line, std::string_view first) {
  auto app = std::make_unique<CLI::App>(
      "Which machine, batch size and way of paying trains your model cheapest or fastest: lapcast "
      "runs a few laps (training iterations) of your own program on each candidate, forecasts the "
      "whole run, prices it and ranks the candidates with intervals.",
      "lapcast");
  app->set_help_flag("-h", "the most used options, and examples");
  app->set_help_all_flag("--help", "all options, and examples");
  app->set_version_flag("-V,--version", build_version());
  app->footer(kAppFooter);
  app->fallthrough();
  app->require_subcommand(1);
  const auto formatter = std::make_shared<HelpFormatter>();
  formatter->width = line.globals.help_width();
  app->formatter(formatter);
  app->get_formatter()->column_width(34);
  add_global_options(*app, line.globals);
  add_commands(*app, line, first);
  return app;
}

/// Returns the message for a command line that cannot be parsed, and names the help to read.
std::string usage_error(const CLI::App& app, const CLI::ParseError& error) {
  const CLI::App& chosen = chosen_command(app);
  const bool is_app = &chosen == &app;
  const auto unknown = app.remaining(true);
  const std::string see =
      is_app ? "see lapcast help" : fmt::format("see lapcast help {}", command_name(chosen));
  if (unknown.empty()) return fmt::format("{}; {}", error.what(), see);
  const std::string meant = suggestion(chosen, unknown);
  return fmt::format("{}there is no {} '{}'; {}",
                     is_app ? "" : fmt::format("{}: ", command_name(chosen)),
                     is_app ? "command or option" : "argument or option",
                     printable(unknown.front(), 100), meant.empty() ? see : meant);
}

/// Returns the help without the advanced options, and says where to find those.
std::string short_help(const CLI::App& app) {
  const auto formatter = std::dynamic_pointer_cast<HelpFormatter>(app.get_formatter());
  formatter->is_short = true;
  std::string text = app.help();
  const bool is_whole =
      app.get_options([](const CLI::Option* option) { return option->get_group() == kAdvanced; })
          .empty();
  if (!is_whole) text += fmt::format("\nAll options: lapcast help {}\n", command_name(app));
  return text;
}

std::string version_line() {
  return std::string(build_version()) + "\n";
}

/// Writes how to begin and then, since it takes longer, the description of this computer.
void write_front_page(const std::vector<CommandGroup>& groups) {
  write_to_stdout(front_page(groups));
  write_to_stdout("\n" + fitted(this_computer(), Globals().help_width()));
}

/// Warns about rented machines of a lapcast that died, unless a program reads what is printed.
void tell_of_unheld_leases(const std::string& command) {
  const std::string silent = " agent complete completion help keeper lap leases man demo-training ";
  if (silent.find(" " + command + " ") != std::string::npos) return;
  if (const std::string warning = warning_of_unheld_leases(); !warning.empty()) say("{}", warning);
}

ExitCode parse_and_run(int argc, char** argv, ProgramPart program) {
  // This is faster than building the whole command line first.
  const std::string_view only = argc == 2 ? argv[1] : "";
  if (argc == 1 || only == "--version" || only == "-V") {
    argc == 1 ? write_front_page(program.commands) : write_to_stdout(version_line());
    return ExitCode::ok;
  }
  if (const char* patterns = std::getenv("LAPCAST_SECRETS")) add_secret_patterns(patterns);
  contact_patience();  // a bad value is refused here, not in a worker
  CommandLine line;
  line.program = std::move(program);
  const auto app = make_app(line, argv[1]);
  try {
    auto words = split_program(argc, argv, line.globals);
    if (takes_defaults(*app, words)) words = with_defaults(*app, words, read_defaults());
    std::reverse(words.begin(), words.end());  // CLI11 takes the last argument first
    app->parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    write_to_stdout(short_help(chosen_command(*app)));
    return ExitCode::ok;
  } catch (const CLI::CallForAllHelp&) {
    write_to_stdout(chosen_command(*app).help());
    return ExitCode::ok;
  } catch (const CLI::CallForVersion&) {
    write_to_stdout(version_line());
    return ExitCode::ok;
  } catch (const CLI::ParseError& error) {
    throw Error(ExitCode::usage, usage_error(*app, error));
  }
  if (line.globals.program_given && !line.takes_program)
    throw Error(ExitCode::usage, "this command takes no program behind --");
  tell_of_unheld_leases(app->get_subcommands().front()->get_name());
  return line.action();
}

}  // namespace

int run_lapcast(int argc, char** argv, const std::vector<ProgramPart>& parts) {
  reserve_standard_streams();
  try {
    // rsync runs this in place of ssh: the words after it are for ssh, not options of lapcast.
    if (argc > 2 && std::strcmp(argv[1], "ssh-relay") == 0)
      return relay_ssh({argv + 2, argv + argc});
    return static_cast<int>(parse_and_run(argc, argv, joined(parts)));
  } catch (const Error& error) {
    return print_error(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return print_error("out of memory", ExitCode::system_failed);
  } catch (const std::exception& error) {
    return print_error(fmt::format("unexpected: {}; please report this", error.what()),
                       ExitCode::system_failed);
  }
}

}  // namespace lapcast
