#include <fmt/format.h>

#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "commands/import/import_logs.h"
#include "core/units.h"
#include "formats/format_list.h"
#include "probe/ids_and_time.h"
#include "run/imported_tag.h"

namespace lapcast {
namespace {

constexpr const char* kImportFooter = R"(
Examples:
  lapcast import runs.jsonl                  what `lapcast export` wrote, on another machine maybe
  lapcast export | lapcast --store copy.db import -
  lapcast import outputs/                    all logs below a folder, whatever wrote them
  lapcast import trainer_state.json --machine a100
  lapcast import mllog result_*.txt          logs of this format: lapcast help import.md
  lapcast import csv-intervals log.csv --columns step=batch,seconds=elapsed
  lapcast runs rm --imported 2026-11-28      removes what was imported on that day

What a file is, its content says: runs of lapcast, or a log of another tool, perhaps compressed by
gzip. The name of a format before the files says it, too. The machine of a log is the one that it
names, or --machine. Runs that are in the store already are left as they are. What is not a run is
reported with its place; the rest is imported, and the exit code is 3.

What is imported is shown, ranked and forecast from, and never run: `verify`, `offload` and the like
print the command to type instead.)";

constexpr const char* kColumnsOfIntervals =
    "--columns is for csv-intervals: write that name before the files";

struct ImportArguments {
  std::vector<std::string> files;
  std::string machine;
  std::string columns;
};

void tell_problem(const std::string& where, const std::string& what) {
  say("{}: {}", printable(where), printable(what, 500));
}

ExitCode exit_code_of(const ImportCounts& counts) {
  return counts.refused > 0 ? ExitCode::bad_input : ExitCode::ok;
}

ExitCode import_runs(const Globals& globals, const std::vector<std::string>& files) {
  check_run_files(files);  // refuses before a store is created
  Store store = globals.open_store();
  const ImportCounts counts = import_run_files(files, store, {.on_problem = tell_problem});
  Table table = table_of<ImportCounts>("import", "Import",
                                       {{"imported", "imported", &ImportCounts::imported},
                                        {"known", "known before", &ImportCounts::known},
                                        {"refused", "refused", &ImportCounts::refused}},
                                       std::vector{counts});
  table.shape = Shape::record;
  print(globals, {std::move(table)});
  return exit_code_of(counts);
}

/// Prints a row for each run, so that a user sees the result of each file.
ExitCode import_old_logs(const Globals& globals, const FoundFiles& found,
                         const std::string& machine, const IntervalColumns& columns) {
  Store store = globals.open_store();
  const std::string tag = imported_tag(today());
  Table table{.title = "Import",
              .columns = {{"run", "run"},
                          {"file", "file"},
                          {"format", "format"},
                          {"machine_type", "machine"},
                          {"import", "import"},
                          {"outcome", ""},
                          {"outcome_text", "outcome"},
                          {"time_s", "time"},
                          {"warnings", "warnings"}},
              .name = "imported_runs"};
  std::set<std::string> added;
  const auto add_row = [&](const std::string& file, const Run& run, bool is_new) {
    if (is_new) added.insert(run.context.id);
    table.rows.push_back(
        {run.context.id, file, run.context.program.front(), run.context.machine_type.name,
         std::string(is_new ? "imported" : "known before"), cell_of(outcome_kind(run.outcome)),
         describe(run.outcome), run.wall(), static_cast<std::int64_t>(run.warnings.size())});
  };
  ImportCounts counts = import_logs(found.logs, machine, columns, store, {add_row, tell_problem});
  for (const std::string& id : added) store.tag_run(id, tag);
  if (!found.runs.empty()) {
    const ImportCounts runs = import_run_files(found.runs, store, {.on_problem = tell_problem});
    counts.imported += runs.imported;
    counts.known += runs.known;
    counts.refused += runs.refused;
  }
  for (const std::string& file : found.unknown) {
    tell_problem(file, fmt::format("neither runs of lapcast nor a log of a known format ({})",
                                   names_of_formats(FormatKind::log, ", ")));
    ++counts.refused;
  }
  table.after.push_back(fmt::format("{} imported, {} known before, {} problems", counts.imported,
                                    counts.known, counts.refused));
  if (found.passed_over > 0)
    table.after.push_back(fmt::format("{} other files are passed over", found.passed_over));
  print(globals, {table, json_record("import", {{"imported", "", cell_of(counts.imported)},
                                                {"known", "", cell_of(counts.known)},
                                                {"refused", "", cell_of(counts.refused)}})});
  return exit_code_of(counts);
}

IntervalColumns columns_of(const ImportArguments& options, const FileFormat& format) {
  const Result<IntervalColumns> columns = interval_columns(options.columns);
  if (!columns) throw Error(ExitCode::usage, "--columns: " + columns.error().text);
  if (!columns->empty() && !std::holds_alternative<ReadIntervals>(format.use))
    throw Error(ExitCode::usage, kColumnsOfIntervals);
  return *columns;
}

ExitCode import_any(const Globals& globals, const ImportArguments& options) {
  const std::vector<std::string>& files = options.files;
  if (const FileFormat* format = find_format(FormatKind::log, files.front())) {
    if (files.size() == 1)
      throw Error(ExitCode::usage,
                  fmt::format("import {} needs a file; see lapcast import --help", format->name));
    FoundFiles named;
    for (auto file = files.begin() + 1; file != files.end(); ++file)
      named.logs.push_back({format, {*file}});
    return import_old_logs(globals, named, options.machine, columns_of(options, *format));
  }
  if (!options.columns.empty()) throw Error(ExitCode::usage, kColumnsOfIntervals);
  const FoundFiles found = find_logs(files);
  if (found.logs.empty() && found.runs.empty() && found.unknown.empty())
    throw Error(ExitCode::bad_input,
                fmt::format("{}: no runs and no log of a known format ({}) in the folder",
                            printable(files.front()), names_of_formats(FormatKind::log, ", ")));
  if (found.runs.size() == files.size()) return import_runs(globals, found.runs);
  return import_old_logs(globals, found, options.machine, {});
}

}  // namespace

static void add_import(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "import", "read runs or old logs into the store", kImportFooter, import_any);
  const std::string help =
      "files of runs or of logs of other tools, or folders with them; - is stdin, with runs. A "
      "format may stand before them: " +
      names_of_formats(FormatKind::log, ", ");
  add_options(command, {{"FILE", &options.files, help.c_str(), kRequired},
                        {"--machine NAME", &options.machine, "what the logs ran on, for `rank`"},
                        {"--columns LIST", &options.columns,
                         "columns of csv-intervals: step=NAME,seconds=NAME, also "
                         "evaluation_seconds, run, evaluation"}});
}

extern const NamedCommand kImportCommand{"import", add_import};

}  // namespace lapcast
