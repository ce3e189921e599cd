#include "campaign/start_kind.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string_view>
#include <vector>

#include "core/hash.h"
#include "core/units.h"
#include "machine/description.h"
#include "machine/place.h"
#include "machine/proc_text.h"
#include "posix/spawn.h"
#include "query/program_content.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr std::size_t kNewest = 200;  // runs of the program in the store that are considered
constexpr int kMostRead = 5;          // of these, those with the same command line that are read

/// Returns an argument, or the value of a variable, without its number: all of it, or what follows
/// the last "=".
std::string_view without_number(std::string_view text) {
  const std::size_t value = text.rfind('=') + 1;  // 0 without "="
  return number_in(text.substr(value)) ? text.substr(0, value) : text;
}

std::string without_numbers(std::string_view line) {
  std::string result;
  for (const std::string_view word : split(line, ' '))
    result.append(without_number(word)).append(" ");
  return result;
}

/// Returns whether a variable only differs between sessions and terminals, or is lapcast's own.
bool is_of_session(std::string_view name) {
  constexpr std::array<std::string_view, 8> kNames{
      "_", "PWD", "OLDPWD", "DISPLAY", "WAYLAND_DISPLAY", "STY", "INVOCATION_ID", "JOURNAL_STREAM"};
  constexpr std::array<std::string_view, 6> kBeginnings{"TERM",  "XDG_", "SSH_",
                                                        "DBUS_", "TMUX", "LAPCAST_"};
  return std::ranges::find(kNames, name) != kNames.end() ||
         std::ranges::any_of(kBeginnings,
                             [&](std::string_view begin) { return name.starts_with(begin); });
}

std::map<std::string, std::string> environment_of(const ProbeRequest& request) {
  std::map<std::string, std::string> variables;
  for (char** each = environ; is_this_machine(request.place_setup.place) && *each; ++each) {
    const std::string_view variable = *each;
    const std::string_view name = variable.substr(0, variable.find('='));
    if (!is_of_session(name) && name.size() < variable.size())
      variables[std::string(name)] = variable.substr(name.size() + 1);
  }
  for (const auto& [name, value] : request.context.machine_type.environment)
    variables[name] = value;
  return variables;
}

void add_file(ContentHash& hash, const std::filesystem::path& file) {
  struct stat info {};
  if (stat(file.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return;
  hash.add(file.native());
  hash.add(static_cast<std::uint64_t>(info.st_size));
  hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_sec));
  hash.add(static_cast<std::uint64_t>(info.st_mtim.tv_nsec));
}

}  // namespace

std::string start_id_of(const ProbeRequest& request) {
  const RunContext& context = request.context;
  const std::filesystem::path folder = context.working_dir;
  const std::vector<std::string> arguments = masked_program(filled_program(context));
  ContentHash hash;
  hash.add(context.working_dir);
  hash.add(request.place_setup.setup);
  std::string line;
  for (const std::string& argument : arguments) {
    hash.add(without_number(argument));
    line += argument + "\n";
  }
  if (!arguments.empty() && arguments.front().find('/') == std::string::npos)
    if (const auto found = find_program(arguments.front())) add_file(hash, *found);
  for (const std::string& word : named_in(line).words)
    if (is_program_file(folder / word)) add_file(hash, folder / word);
  for (const auto& [name, value] : environment_of(request)) {
    hash.add(name);
    hash.add(without_number(masked_value(name, value)));
  }
  return hash.hex();
}

StartKind Starts::kind_of(const ProbeRequest& request) const {
  const RunContext& context = request.context;
  const Place& place = request.place_setup.place;
  if (with_laps_.contains(key_of(context)))
    return is_queued(place) ? StartKind::unknown : StartKind::warm;
  return is_this_machine(place) && has_lately_run(context) ? StartKind::warm : StartKind::cold;
}

bool Starts::has_lately_run(const RunContext& context) const {
  const std::string program = shown_program(context);
  const std::string line = without_numbers(program);
  const std::string first_word(without_number(program.substr(0, program.find(' '))));
  const std::vector<RunSummary> runs = store_.list({.first_word = first_word, .newest = kNewest});
  int read = 0;
  for (auto run = runs.rbegin(); run != runs.rend() && read < kMostRead; ++run) {
    if (!run->has_laps || without_numbers(run->program) != line) continue;
    const RunContext earlier = store_.get(run->id).context;
    if (was_imported(earlier)) continue;
    if (key_of(earlier) == key_of(context) && earlier.start_id.has_value() &&
        is_same_machine(earlier.machine, context.machine))
      return true;
    ++read;
  }
  return false;
}

}  // namespace lapcast
