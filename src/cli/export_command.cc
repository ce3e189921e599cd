#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "app/rank_runs.h"
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

lapcast help export lists every key.)";

struct ExportArguments {
  std::string sweep;
  std::vector<std::string> ids;
  std::string file;
};

void write_runs(const Globals& globals, const ExportArguments& options, std::ostream& out) {
  const Store store = globals.open_existing_store();
  if (!options.ids.empty()) {
    for (const std::string& id : options.ids) out << to_json_line(masked(store.get(id))) << '\n';
    return;
  }
  RunFilter filter;
  if (!options.sweep.empty()) filter.sweep = sweep_named(store, options.sweep);
  // One run is held at a time: a store may have more laps than fit into memory.
  for (const RunSummary& run : store.list(filter))
    out << to_json_line(masked(store.get(run.id))) << '\n';
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

ExitCode export_runs(const Globals& globals, const ExportArguments& options) {
  if (options.file.empty()) {
    write_runs(globals, options, std::cout);
    finish_stdout();
    return ExitCode::ok;
  }
  // An existing file is replaced only once the new one is whole.
  std::error_code ignored;
  const bool in_place = std::filesystem::exists(options.file, ignored) &&
                        !std::filesystem::is_regular_file(options.file, ignored);
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
  const auto [command, options] = line.add(
      app, "export", "write runs with their raw laps as JSON lines", kExportFooter, export_runs);
  add_options(command, {{"RUN", &options.ids, "ids of runs [all]"},
                        {"--sweep ID", &options.sweep, "those of one sweep"},
                        {"-o,--output FILE", &options.file, "file to write [stdout]"}});
}

}  // namespace lapcast
