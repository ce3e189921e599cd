#include "cli/defaults_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "cli/race_options.h"
#include "core/error.h"
#include "core/nearest_name.h"
#include "core/units.h"
#include "query/input_files.h"
#include "toml/toml_tree.h"

namespace lapcast {
namespace {

using Kind = TomlNode::Kind;

constexpr std::string_view kFlags[] = {"plain", "plot", "quiet", "no-wait", "per-batch"};
constexpr std::string_view kValues[] = {"format",        "precision", "budget", "max-laps",
                                        "startup-limit", "grace",     "rounds", "confirm",
                                        "repeats",       "by",        "weight"};

// A key of the user's own file alone, and not an option: a limit, which never starts anything.
constexpr std::string_view kRentPerMonth = "rent-per-month";

bool is_flag(std::string_view key) {
  return std::ranges::find(kFlags, key) != std::end(kFlags);
}

[[noreturn]] void refuse_key(const TomlNode::Key& key, const std::string& file) {
  std::vector<std::string_view> names(std::begin(kFlags), std::end(kFlags));
  names.insert(names.end(), std::begin(kValues), std::end(kValues));
  const std::string all = fmt::format("these can: {}", fmt::join(names, ", "));
  fail_at(file, key.place,
          fmt::format("'{}' is not a default that can be set here; {}", printable(key.name, 60),
                      did_you_mean(key.name, names, all)));
}

/// Returns the command that the words choose, the deepest one, or the app itself if there is none.
const CLI::App* command_in(const CLI::App& app, const std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words) {
    const auto below =
        command->get_subcommands([&](const CLI::App* each) { return each->get_name() == word; });
    if (!below.empty()) command = below.front();
  }
  return command;
}

const CLI::Option* option_of(const CLI::App* command, const std::string& name) {
  for (; command != nullptr; command = command->get_parent())
    if (const CLI::Option* option = command->get_option_no_throw(name)) return option;
  return nullptr;
}

bool is_given(const std::vector<std::string>& words, const CLI::Option& option) {
  return std::ranges::any_of(words, [&](const std::string& word) {
    return option.check_name(word.substr(0, word.find('=')));
  });
}

/// Returns an amount such as "50USD". Throws Error (usage) for other texts.
Money parse_monthly_limit(const std::string& text) {
  if (const auto limit = parse_search_budget(text).money) return *limit;
  throw Error(ExitCode::usage, "must be an amount, such as 50USD");
}

/// Checks and adds the monthly limit of a file.
void add_monthly_limit(const TomlNode::Key& key, const std::string& file, bool is_users_own,
                       std::vector<OptionDefault>& defaults) {
  if (!is_users_own)
    fail_at(file, key.place,
            fmt::format("{} can only stand in your own file of defaults", key.name));
  try {
    parse_monthly_limit(key.value.text);
  } catch (const Error& error) {
    fail_at(file, key.value.place, fmt::format("{}: {}", key.name, error.what()));
  }
  defaults.push_back({"--" + key.name, key.value.text});
}

}  // namespace

std::vector<OptionDefault> parse_defaults(std::string_view toml, const std::string& file,
                                          bool is_users_own) {
  std::vector<OptionDefault> defaults;
  const TomlNode root = parse_toml(toml, file);
  for (const TomlNode::Key& key : root.keys) {
    if (key.name == kRentPerMonth) {
      add_monthly_limit(key, file, is_users_own, defaults);
      continue;
    }
    const bool flag = is_flag(key.name);
    if (!flag && std::ranges::find(kValues, key.name) == std::end(kValues)) refuse_key(key, file);
    const TomlNode& value = key.value;
    if (flag && value.kind != Kind::boolean)
      fail_at(file, value.place, fmt::format("{}: write true or false", key.name));
    if (!flag && value.kind != Kind::text && value.kind != Kind::number)
      fail_at(file, value.place, fmt::format("{}: write text or a number", key.name));
    defaults.push_back({"--" + key.name, value.text});
  }
  return defaults;
}

bool takes_defaults(const CLI::App& app, const std::vector<std::string>& words) {
  const std::set<std::string> help{"-h", "--help", "-V", "--version"};
  const std::set<std::string> without{"help", "lap", "completion", "complete", "man"};
  return !without.contains(command_in(app, words)->get_name()) &&
         std::ranges::none_of(words, [&](const std::string& word) { return help.contains(word); });
}

std::optional<Money> rent_limit_a_month() {
  const std::string file = in_config_folder("lapcast.toml");
  std::error_code absent;
  if (!std::filesystem::is_regular_file(file, absent)) return std::nullopt;
  const std::string text = read_file(file, "defaults file", kMostWritten);
  for (const OptionDefault& each : parse_defaults(text, file, true))
    if (each.option.substr(2) == kRentPerMonth) return parse_monthly_limit(each.value);
  return std::nullopt;
}

std::vector<OptionDefault> read_defaults() {
  std::vector<std::string> files{in_config_folder("lapcast.toml"), "lapcast.toml"};
  std::map<std::string, std::string> values;
  for (const std::string& file : files) {
    std::error_code absent;
    if (!std::filesystem::is_regular_file(file, absent)) continue;
    const std::string text = read_file(file, "defaults file", kMostWritten);
    for (OptionDefault& each : parse_defaults(text, file, file == files.front()))
      values[each.option] = std::move(each.value);
  }
  std::vector<OptionDefault> defaults;
  for (auto& [option, value] : values) defaults.push_back({option, std::move(value)});
  return defaults;
}

std::vector<std::string> with_defaults(const CLI::App& app, std::vector<std::string> words,
                                       const std::vector<OptionDefault>& defaults) {
  const CLI::App* const command = command_in(app, words);
  const std::vector<std::string> given = words;
  for (const OptionDefault& each : defaults) {
    const CLI::Option* const option = option_of(command, each.option);
    if (option == nullptr || is_given(given, *option) || each.value == "false") continue;
    if (each.option == "--plot" && isatty(STDOUT_FILENO) == 0) continue;
    // An export has other formats than tables.
    if (each.option == "--format" && option != app.get_option_no_throw("--format")) continue;
    const auto was_given = [&](const CLI::Option* other) { return is_given(given, *other); };
    const auto excluded = option->get_excludes();
    const auto needed = option->get_needs();
    if (std::ranges::any_of(excluded, was_given) || !std::ranges::all_of(needed, was_given))
      continue;
    if (each.option == "--format" && std::ranges::find(given, "--json") != given.end()) continue;
    words.push_back(is_flag(std::string_view(each.option).substr(2))
                        ? each.option
                        : each.option + "=" + each.value);
  }
  return words;
}

}  // namespace lapcast
