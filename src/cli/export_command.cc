#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "app/export_runs.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "core/units.h"
#include "run/run_json.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr const char* kExportFooter = R"(
Examples:
  lapcast export > runs.jsonl                all runs, one JSON object a line, raw laps included
  lapcast export --sweep 3f0c8a91d2e4 -o sweep.jsonl
  lapcast --store elsewhere.db import runs.jsonl
  lapcast export --format tensorboard boards      then: tensorboard --logdir boards
  lapcast export 3f0c --format chrome-trace run.json   for ui.perfetto.dev

Behind the runs stands where to write: a folder with --format tensorboard; with chrome-trace a file whose
name has a dot or a slash. lapcast report --notebook FILE writes a notebook for Jupyter.

lapcast help export.md lists every key.)";

struct ExportArguments {
  ExportSelection selection;
  std::string format = "jsonl";
  std::string file;
  bool overwrite = false;
};

void write_lines(const Store& store, const ExportSelection& selection, std::ostream& out) {
  const auto write = [&](Run run) { out << to_json_line(masked(std::move(run))) << '\n'; };
  if (selection.ids.empty()) return store.for_each_run(filter_of(store, selection), write);
  for (const std::string& id : ids_of(store, selection)) write(store.get(id));
}

void write_runs(const Globals& globals, const ExportArguments& options, std::ostream& out) {
  const Store store = globals.open_existing_store();
  if (options.format == "chrome-trace")
    write_trace(store, ids_of(store, options.selection), out);
  else
    write_lines(store, options.selection, out);
}

void write_file(const Globals& globals, const ExportArguments& options, const std::string& file) {
  std::ofstream out(file, std::ios::binary);
  if (!out)
    throw Error(ExitCode::system_failed, fmt::format("cannot write {}", printable(options.file)));
  write_runs(globals, options, out);
  out.close();
  if (!out)
    throw Error(ExitCode::system_failed,
                fmt::format("cannot write {}: disk full?", printable(options.file)));
}

/// Takes the last of the words as the place to write to where it is one: with TensorBoard any, else
/// one that is not the id of a run.
ExportArguments with_place(ExportArguments options) {
  std::vector<std::string>& words = options.selection.ids;
  const bool is_folder = options.format == "tensorboard";
  if (options.format == "jsonl" || !options.file.empty() || words.empty()) return options;
  if (!is_folder && is_run_id(words.back())) return options;
  options.file = words.back();
  words.pop_back();
  return options;
}

ExitCode export_events(const Globals& globals, const ExportArguments& options) {
  if (options.file.empty())
    throw Error(ExitCode::usage,
                "no folder given; write it last: lapcast export --format tensorboard boards");
  const Store store = globals.open_existing_store();
  const WrittenEvents written =
      write_event_files(store, ids_of(store, options.selection), options.file, options.overwrite);
  if (written.without_laps > 0)
    warn({fmt::format("{} runs have no laps and are left out", written.without_laps)});
  if (!globals.quiet)
    say("{} runs are written; look at them with: tensorboard --logdir {}", written.runs,
        printable(options.file));
  return ExitCode::ok;
}

ExitCode export_runs(const Globals& globals, const ExportArguments& given) {
  const ExportArguments options = with_place(given);
  if (options.format == "tensorboard") return export_events(globals, options);
  if (options.file.empty()) {
    write_runs(globals, options, std::cout);
    finish_stdout();
    return ExitCode::ok;
  }
  std::error_code ignored;
  const bool exists = std::filesystem::exists(options.file, ignored);
  const bool in_place = exists && !std::filesystem::is_regular_file(options.file, ignored);
  if (exists && !in_place && options.format != "jsonl" && !options.overwrite)
    throw Error(ExitCode::usage,
                fmt::format("{} exists, and is not overwritten; name another file, or add "
                            "--overwrite",
                            printable(options.file)));
  // An existing file is replaced only once the new one is whole.
  const std::string draft = in_place ? options.file : options.file + ".part";
  try {
    write_file(globals, options, draft);
    if (!in_place) std::filesystem::rename(draft, options.file);
  } catch (...) {
    if (!in_place) std::filesystem::remove(draft, ignored);
    throw;
  }
  return ExitCode::ok;
}

}  // namespace

void add_export(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "export", "write runs with their raw laps, for lapcast or for other tools",
               kExportFooter, export_runs);
  add_options(
      command,
      {{"RUN", &options.selection.ids, "ids of runs [all]"},
       {"--sweep ID", &options.selection.sweep, "those of one sweep"},
       {"--format", &options.format, "JSON lines, TensorBoard event files, a trace for Perfetto",
        one_of("jsonl|tensorboard|chrome-trace")},
       {"-o,--output FILE", &options.file, "file or folder to write [stdout]"},
       {"--overwrite", &options.overwrite, "replace what exists (JSON lines always do)"}});
}

}  // namespace lapcast
