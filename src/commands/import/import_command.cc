#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "commands/import/import_logs.h"
#include "core/units.h"
#include "formats/format_list.h"

namespace lapcast {
namespace {

constexpr const char* kImportFooter = R"(
Examples:
  lapcast import runs.jsonl                  what `lapcast export` wrote, on another machine maybe
  lapcast export | lapcast --store copy.db import -
  lapcast import mllog result_*.txt          old logs of another kind: lapcast help import.md
  lapcast import dawnbench entry.json        its TSV is found beside it

What is imported is shown, ranked and forecast from, and never run: `verify`, `offload` and the like
print the command to type instead.

Where the first argument is the name of a format, the files are old logs of that format, perhaps
compressed by gzip. Runs that are in the store already are left as they are. What is not a run is
reported with its place; the rest is imported, and the exit code is 3.)";

struct ImportArguments {
  std::vector<std::string> files;
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
ExitCode import_old_logs(const Globals& globals, const FileFormat& format,
                         const std::vector<std::string>& files) {
  if (files.empty())
    throw Error(ExitCode::usage,
                fmt::format("import {} needs a file; see lapcast import --help", format.name));
  Store store = globals.open_store();
  Table table{.title = fmt::format("Import: {}", format.name),
              .columns = {{"run", "run"},
                          {"file", "file"},
                          {"machine_type", "machine"},
                          {"import", "import"},
                          {"outcome", ""},
                          {"outcome_text", "outcome"},
                          {"time_s", "time"},
                          {"warnings", "warnings"}},
              .name = "imported_runs"};
  const auto add_row = [&](const std::string& file, const Run& run, bool is_new) {
    table.rows.push_back({run.context.id, file, run.context.machine_type.name,
                          std::string(is_new ? "imported" : "known before"),
                          cell_of(outcome_kind(run.outcome)), describe(run.outcome), run.wall(),
                          static_cast<std::int64_t>(run.warnings.size())});
  };
  const ImportCounts counts = import_logs(format, files, store, {add_row, tell_problem});
  table.after.push_back(fmt::format("{} imported, {} known before, {} problems", counts.imported,
                                    counts.known, counts.refused));
  print(globals, {table, json_record("import", {{"imported", "", cell_of(counts.imported)},
                                                {"known", "", cell_of(counts.known)},
                                                {"refused", "", cell_of(counts.refused)}})});
  return exit_code_of(counts);
}

ExitCode import_any(const Globals& globals, const ImportArguments& options) {
  const std::vector<std::string>& files = options.files;
  const FileFormat* format = find_format(FormatKind::log, files.front());
  if (format == nullptr) return import_runs(globals, files);
  return import_old_logs(globals, *format, {files.begin() + 1, files.end()});
}

}  // namespace

static void add_import(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "import", "read runs or old logs into the store", kImportFooter, import_any);
  const std::string help = "files of runs, - is stdin; or a format of old logs and its files: " +
                           names_of_formats(FormatKind::log, ", ");
  add_options(command, {{"FILE", &options.files, help.c_str(), kRequired}});
}

extern const NamedCommand kImportCommand{"import", add_import};

}  // namespace lapcast
