#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>
#include <set>

#include "cli/bounded_line.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/log_import.h"
#include "core/units.h"
#include "probe/ids_and_time.h"
#include "run/repair.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

constexpr const char* kImportFooter = R"(
Examples:
  lapcast import runs.jsonl                  what `lapcast export` wrote, on another machine maybe
  lapcast export | lapcast --store copy.db import -
  lapcast import mllog result_*.txt          old logs of another kind: docs/import.md
  lapcast import dawnbench entry.json        its TSV is found beside it

What is imported is shown, ranked and forecast from, and never run: `verify`, `offload` and the like
print the command to type instead.

Where the first argument is the name of a format, the files are old logs of that format, perhaps
compressed by gzip. Runs that are in the store already are left as they are. What is no run is
reported with its place; the rest is imported, and the exit code is 3.)";

constexpr std::size_t kMostLineBytes = 512 << 20;  // of a run with its laps

struct Counts {
  std::size_t imported = 0;
  std::size_t known = 0;
  std::size_t refused = 0;
};

/// The run of a line of a file, as it may be stored; or why it is none.
Result<Run> imported_run(const std::string& line, const std::set<std::string>& under_way) {
  Result<Run> run = run_from_json_line(line);
  if (!run) return run;
  run->context.imported = true;
  if (const auto odd = repair(*run, today()); !odd.empty()) return because(odd.front());
  if (run->context.program.empty()) return because("program is empty");
  if (under_way.contains(run->context.id))
    return because("its id is that of a run that is under way on another machine");
  return run;
}

std::set<std::string> ids_under_way(const Store& store) {
  std::set<std::string> ids;
  for (const PendingRun& pending_run : store.pending_runs()) ids.insert(pending_run.id);
  return ids;
}

void import_stream(std::istream& in, const std::string& name, Store& store, Counts& counts) {
  const std::set<std::string> under_way = ids_under_way(store);
  std::size_t number = 0;
  for (BoundedLine line; read_line(in, kMostLineBytes, line);) {
    ++number;
    if (line.text.empty()) continue;
    const Result<Run> run = line.was_cut ? because(fmt::format("the line is longer than {}",
                                                               format_bytes(kMostLineBytes)))
                                         : imported_run(line.text, under_way);
    if (!run) {
      ++counts.refused;
      say("{}:{}: {}", printable(name), number,
          printable(run.error().text, 500));
    } else {
      ++(store.add(*run) ? counts.imported : counts.known);
    }
  }
  if (in.bad())
    throw Error(ExitCode::bad_input, fmt::format("cannot read {} to its end", printable(name)));
}

ExitCode print_counts(const Globals& globals, const Counts& counts) {
  Table table{"Import",
              {},
              {{"imported", "imported"}, {"known", "known before"}, {"refused", "refused"}},
              {},
              {}};
  table.rows.push_back({static_cast<std::int64_t>(counts.imported),
                        static_cast<std::int64_t>(counts.known),
                        static_cast<std::int64_t>(counts.refused)});
  print(globals, {table});
  return counts.refused > 0 ? ExitCode::bad_input : ExitCode::ok;
}

// JSON lines of runs ------------------------------------------------------------------------------

ExitCode import_runs(const Globals& globals, const std::vector<std::string>& files) {
  for (const std::string& file : files)
    if (file != "-" && !std::ifstream(file))
      throw Error(ExitCode::bad_input, fmt::format("cannot read {}", printable(file)));
  Store store = globals.open_store();
  Counts counts;
  for (const std::string& file : files) {
    if (file == "-") {
      import_stream(std::cin, "stdin", store, counts);
    } else {
      std::ifstream stream(file, std::ios::binary);
      import_stream(stream, file, store, counts);
    }
  }
  return print_counts(globals, counts);
}

// Old logs ----------------------------------------------------------------------------------------

/// A row for each run, so that a user sees at once what became of a file.
void add_rows(Table& table, const std::string& file, ImportedLog imported, Store& store,
              Counts& counts) {
  for (Run& run : imported.runs) {
    run.context.imported = true;
    repair_measured(run, today());
    const bool is_new = store.add(run);
    ++(is_new ? counts.imported : counts.known);
    table.rows.push_back({run.context.id, file, run.context.machine_type.name,
                          std::string(is_new ? "imported" : "known before"), describe(run.outcome),
                          run.wall(), static_cast<std::int64_t>(run.warnings.size())});
  }
  for (const std::string& problem : imported.problems) {
    ++counts.refused;
    say("{}: {}", printable(file), printable(problem, 500));
  }
}

ExitCode import_old_logs(const Globals& globals, const std::string& format,
                         const std::vector<std::string>& files) {
  if (files.empty())
    throw Error(ExitCode::usage, fmt::format("import {} needs a file; see lapcast import --help",
                                             format));
  Store store = globals.open_store();
  Counts counts;
  Table table{"Import: " + format,
              {},
              {{"run", "run"},
               {"file", "file"},
               {"machine_type", "machine"},
               {"import", "import"},
               {"outcome", "outcome"},
               {"time_s", "time"},
               {"warnings", "warnings"}},
              {},
              {}};
  import_logs(format, files, [&](const std::string& file, ImportedLog imported) {
    add_rows(table, file, std::move(imported), store, counts);
  });
  table.notes.push_back(fmt::format("{} imported, {} known before, {} problems", counts.imported,
                                    counts.known, counts.refused));
  print(globals, {table});
  return counts.refused > 0 ? ExitCode::bad_input : ExitCode::ok;
}

/// " mllog, dawnbench ..."
std::string formats() {
  std::string names;
  for (const LogFormat& format : kLogFormats)
    names += fmt::format("{} {}", names.empty() ? "" : ",", format.name);
  return names;
}

ExitCode import_any(const Globals& globals, const std::vector<std::string>& arguments) {
  if (!is_log_format(arguments.front())) return import_runs(globals, arguments);
  return import_old_logs(globals, arguments.front(), {arguments.begin() + 1, arguments.end()});
}

}  // namespace

void add_import(CLI::App& app, Globals& globals, Action& action) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("import", "read runs or old logs into the store");
  command
      ->add_option("FILE", *files,
                   "files of runs, - is stdin; or a format of old logs and its files:" + formats())
      ->required();
  command->footer(kImportFooter);
  command->callback([&globals, &action, files] {
    action = {[&globals, files] { return import_any(globals, *files); }, false};
  });
}

}  // namespace lapcast
