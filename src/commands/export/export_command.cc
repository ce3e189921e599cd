#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <ostream>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "cli/commands.h"
#include "cli/console.h"
#include "commands/export/export_runs.h"
#include "core/units.h"
#include "formats/format_list.h"
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

/// Returns the format of another tool; nullptr for JSON lines.
const FileFormat* format_of(const ExportArguments& options) {
  return find_format(FormatKind::runs, options.format);
}

/// Returns the format if it makes a folder with many files; nullptr otherwise.
const FilePerRun* folder_format_of(const ExportArguments& options) {
  const FileFormat* format = format_of(options);
  return format == nullptr ? nullptr : std::get_if<FilePerRun>(&format->use);
}

void write_lines(const Store& store, const ExportSelection& selection, std::ostream& out) {
  const auto write = [&](Run run) { out << to_json_line(masked(std::move(run))) << '\n'; };
  if (selection.ids.empty()) return store.for_each_run(filter_of(store, selection), write);
  for (const std::string& id : ids_of(store, selection)) write(store.get(id));
}

void write_runs(const Globals& globals, const ExportArguments& options, std::ostream& out) {
  const Store store = globals.open_existing_store();
  if (const FileFormat* format = format_of(options))
    write_runs_file(store, ids_of(store, options.selection), std::get<BeginRuns>(format->use), out);
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

/// Moves the last of the words to the place to write to, if it is one: any word for a folder,
/// otherwise one that is not the id of a run.
ExportArguments with_place(ExportArguments options) {
  std::vector<std::string>& words = options.selection.ids;
  if (format_of(options) == nullptr || !options.file.empty() || words.empty()) return options;
  if (folder_format_of(options) == nullptr && is_run_id(words.back())) return options;
  options.file = words.back();
  words.pop_back();
  return options;
}

ExitCode export_folder(const Globals& globals, const ExportArguments& options,
                       const FilePerRun& format) {
  if (options.file.empty())
    throw Error(ExitCode::usage,
                fmt::format("no folder given; write it last: lapcast export --format {} boards",
                            options.format));
  const Store store = globals.open_existing_store();
  const WrittenRuns written = write_run_files(store, ids_of(store, options.selection), format,
                                              options.file, options.overwrite);
  if (written.without_laps > 0)
    warn({fmt::format("{} runs have no laps and are left out", written.without_laps)});
  if (!globals.quiet)
    say("{} runs are written; look at them with: {} {}", written.runs, format.viewer,
        printable(options.file));
  return ExitCode::ok;
}

ExitCode export_runs(const Globals& globals, const ExportArguments& given) {
  const ExportArguments options = with_place(given);
  if (const FilePerRun* format = folder_format_of(options))
    return export_folder(globals, options, *format);
  if (options.file.empty()) {
    write_runs(globals, options, std::cout);
    finish_stdout();
    return ExitCode::ok;
  }
  std::error_code ignored;
  const bool exists = std::filesystem::exists(options.file, ignored);
  const bool in_place = exists && !std::filesystem::is_regular_file(options.file, ignored);
  if (exists && !in_place && format_of(options) != nullptr && !options.overwrite)
    throw Error(ExitCode::usage,
                fmt::format("{} exists, and is not overwritten; name another file, or add "
                            "--overwrite",
                            printable(options.file)));
  // An existing file is replaced only once the new one is complete.
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

static void add_export(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "export", "write runs with their raw laps, for lapcast or for other tools",
               kExportFooter, export_runs);
  const std::string formats = "jsonl|" + names_of_formats(FormatKind::runs);
  std::string help = "JSON lines";
  for (const FileFormat* format : formats_of(FormatKind::runs))
    help.append(", ").append(format->what);
  add_options(command,
              {{"RUN", &options.selection.ids, "ids of runs [all]"},
               {"--sweep ID", &options.selection.sweep, "those of one sweep"},
               {"--format", &options.format, help.c_str(), one_of(formats.c_str())},
               {"-o,--output FILE", &options.file, "file or folder to write [stdout]"},
               {"--overwrite", &options.overwrite, "replace what exists (JSON lines always do)"}});
}

extern const NamedCommand kExportCommand{"export", add_export};

}  // namespace lapcast
