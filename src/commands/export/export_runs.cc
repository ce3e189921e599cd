#include "commands/export/export_runs.h"

#include <fmt/format.h>

#include <fstream>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "query/rank_runs.h"
#include "report/run_timeline.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// Returns the ids of the named runs in order of their start, without duplicates.
std::vector<std::string> in_order_of_start(const Store& store,
                                           const std::vector<std::string>& named) {
  const std::set<std::string> wanted(named.begin(), named.end());
  std::vector<std::string> ids;
  for (const RunSummary& run : store.list())
    if (wanted.contains(run.id)) ids.push_back(run.id);
  return ids;
}

void write_run_file(const fs::path& file, const std::string& bytes) {
  std::error_code problem;
  fs::create_directories(file.parent_path(), problem);
  std::ofstream out;
  if (!problem) {
    out.open(file, std::ios::binary | std::ios::trunc);
    out << bytes;
    out.close();
  }
  if (problem || !out)
    throw Error(ExitCode::system_failed,
                fmt::format("cannot write {}: {}", printable(file.string()),
                            problem ? problem.message() : "not a folder, or no room?"));
}

}  // namespace

RunFilter filter_of(const Store& store, const ExportSelection& selection) {
  RunFilter filter;
  if (!selection.sweep.empty()) filter.sweep = sweep_named(store, selection.sweep);
  return filter;
}

std::vector<std::string> ids_of(const Store& store, const ExportSelection& selection) {
  std::vector<std::string> ids;
  for (const std::string& id : selection.ids) ids.push_back(store.get(id).context.id);
  if (!ids.empty()) return ids;
  for (const RunSummary& run : store.list(filter_of(store, selection))) ids.push_back(run.id);
  return ids;
}

void write_runs_file(const Store& store, std::vector<std::string> ids, BeginRuns begin,
                     std::ostream& out) {
  ids = in_order_of_start(store, ids);
  if (ids.empty()) throw Error(ExitCode::some_failed, "there is no run to export");
  const auto writer = begin(out);
  for (const std::string& id : ids) {
    const Run run = masked(store.get(id));
    writer->add(run, timeline_of(run));
  }
  writer->finish();
}

WrittenRuns write_run_files(const Store& store, std::vector<std::string> ids,
                            const FilePerRun& format, const fs::path& folder, bool overwrite) {
  ids = in_order_of_start(store, ids);
  for (const std::string& id : ids) {
    const fs::path own = folder / format.folder(masked(store.get(id).context));
    std::error_code ignored;
    if (!overwrite && fs::exists(own, ignored))
      throw Error(ExitCode::usage,
                  fmt::format("{} exists, and is not overwritten; name another folder, or add "
                              "--overwrite",
                              printable(own.string())));
  }
  WrittenRuns written;
  for (const std::string& id : ids) {
    const Run run = masked(store.get(id));
    const RunTimeline timeline = timeline_of(run);
    if (timeline.log.laps.empty()) {
      ++written.without_laps;
      continue;
    }
    write_run_file(folder / format.folder(run.context) / format.file(timeline),
                   format.text(timeline));
    ++written.runs;
  }
  if (written.runs == 0)
    throw Error(ExitCode::some_failed, fmt::format("none of the {} runs has a lap", ids.size()));
  return written;
}

}  // namespace lapcast
