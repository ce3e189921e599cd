#include "accuracy/run_folder.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "accuracy/run_tables.h"
#include "commands/import/import_logs.h"
#include "core/error.h"
#include "posix/gzip_file.h"

namespace lapcast::accuracy {
namespace {

namespace fs = std::filesystem;

/// Returns NAME or NAME.gz of the folder, or an empty path when neither exists.
fs::path file_named(const fs::path& folder, const std::string& name) {
  std::error_code ignored;
  for (const char* ending : {"", ".gz"}) {
    const fs::path file = folder / (name + ending);
    if (fs::exists(file, ignored)) return file;
  }
  return {};
}

}  // namespace

void read_table(CsvTable table, const fs::path& folder, const std::string& name, Dropped& dropped,
                std::vector<std::string>& notes) {
  const fs::path file = file_named(folder, name);
  if (file.empty()) return notes.push_back(fmt::format("{} is absent: skipped", name));
  try {
    if (!for_each_piece(file.string(), [&](std::string_view piece) { table.feed(piece); }))
      notes.push_back(fmt::format("{} is cut off or damaged: used up to there", name));
    table.finish();
  } catch (const Error& error) {
    return notes.push_back(fmt::format("{}: skipped", error.what()));
  }
  if (!table.missing().empty())
    notes.push_back(fmt::format("{} lacks the columns {}", name, fmt::join(table.missing(), ", ")));
  dropped.add(name + ": a row that is not CSV or has too few or too many cells", table.damaged());
}

LoggedRuns read_run_folder(const fs::path& folder, Dropped& dropped,
                           std::vector<std::string>& notes) {
  LoggedRuns runs;
  read_table(run_table(runs, dropped), folder, "runs.csv", dropped, notes);
  read_table(event_table(runs, dropped), folder, "events.csv", dropped, notes);
  drop_uneven_evaluations(runs, dropped);
  read_table(progress_table(runs, dropped), folder, "iters.csv", dropped, notes);
  return runs;
}

}  // namespace lapcast::accuracy
