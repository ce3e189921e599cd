#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <string>
#include <vector>

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

docs/export.md lists every key.)";

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
  if (!options.sweep.empty()) filter.sweep = options.sweep;
  // One at a time: a store may hold more laps than memory does.
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
  // A file of that name is replaced only once the new one is whole.
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

void add_export(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<ExportArguments>();
  CLI::App* command = app.add_subcommand("export", "write runs with their raw laps as JSON lines");
  command->add_option("RUN", options->ids, "ids of runs [all]");
  command->add_option("--sweep", options->sweep, "those of one sweep")->type_name("ID");
  command->add_option("-o,--output", options->file, "file to write [stdout]")->type_name("FILE");
  command->footer(kExportFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return export_runs(globals, *options); }, false};
  });
}

}  // namespace lapcast
