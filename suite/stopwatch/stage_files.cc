#include "suite/stopwatch/stage_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "formats/imported.h"
#include "query/input_files.h"
#include "suite/stopwatch/stopwatch.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostEntries = 500;

/// Holds a file argument: "tpu=FILE" or "FILE".
struct NamedFile {
  std::string device;  // empty = the tags of its lines have it
  std::string file;
};

NamedFile parse_named_file(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string device = text.substr(0, equals);
  const bool is_word = equals != std::string::npos && !device.empty() &&
                       std::ranges::all_of(device, [](unsigned char c) {
                         return std::isalnum(c) != 0 || c == '-' || c == '_';
                       });
  return is_word ? NamedFile{stopwatch_device(device), text.substr(equals + 1)}
                 : NamedFile{"", text};
}

/// Returns the entry of a run, identified by the tag of its lines.
StopwatchEntry entry_of(const NamedFile& named, const std::string& tag) {
  const std::size_t space = tag.rfind(' ');
  const std::string last =
      space == std::string::npos ? "" : stopwatch_device(tag.substr(space + 1));
  if (named.device.empty() && last.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: the tag '{}' names no device; write --from DEVICE={}",
                            printable(named.file), printable(tag, 60), printable(named.file)));
  const bool names_device = named.device.empty() || last == named.device;
  return {.network = names_device ? tag.substr(0, space) : tag,
          .device = named.device.empty() ? last : named.device};
}

}  // namespace

StageFiles read_stage_files(const std::vector<std::string>& files) {
  StageFiles result;
  for (const std::string& text : files) {
    const NamedFile named = parse_named_file(text);
    ImportedLog log = import_stopwatch_csv(read_file(named.file, "file of stages"), named.file);
    if (log.runs.empty())
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: {}", printable(named.file), log.problems.front()));
    for (const std::string& problem : log.problems)
      result.lines.push_back(fmt::format("{}: {}", printable(named.file), problem));
    for (Run& run : log.runs) {
      StopwatchEntry entry = entry_of(named, run.context.program.at(1));
      auto same = std::ranges::find_if(result.entries, [&](const StopwatchEntry& other) {
        return other.network == entry.network && other.device == entry.device;
      });
      if (same == result.entries.end()) {
        if (result.entries.size() >= kMostEntries)
          throw Error(ExitCode::bad_input,
                      fmt::format("{}: more than {} combinations of network and device",
                                  printable(named.file), kMostEntries));
        same = result.entries.insert(same, std::move(entry));
      }
      same->runs.push_back(std::move(run));
    }
  }
  return result;
}

}  // namespace lapcast
