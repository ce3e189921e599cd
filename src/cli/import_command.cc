#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <fstream>
#include <iostream>

#include "cli/commands.h"
#include "core/units.h"
#include "run/run_json.h"

namespace lapcast {
namespace {

constexpr const char* kFooter = R"(
Examples:
  lapcast import runs.jsonl                  what `lapcast export` wrote, on another machine maybe
  lapcast export | lapcast --store copy.db import -

Runs that are in the store already are left as they are. A line that is no run is reported with its
number; the others are imported, and the exit code is 3.)";

struct Counts {
  std::size_t imported = 0;
  std::size_t known = 0;
  std::size_t refused = 0;
};

void import_stream(std::istream& in, const std::string& name, Store& store, Counts& counts) {
  std::size_t number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.empty()) continue;
    const Result<Run> run = run_from_json_line(line);
    if (!run) {
      ++counts.refused;
      fmt::print(stderr, "lapcast: {}:{}: {}\n", printable(name), number,
                 printable(run.error().text, 500));
    } else {
      ++(store.add(*run) ? counts.imported : counts.known);
    }
  }
  if (in.bad())
    throw Error(ExitCode::bad_input, fmt::format("cannot read {} to its end", printable(name)));
}

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

}  // namespace

void add_import(CLI::App& app, Globals& globals, Action& action) {
  auto files = std::make_shared<std::vector<std::string>>();
  CLI::App* command = app.add_subcommand("import", "read runs from JSON lines into the store");
  command->add_option("FILE", *files, "files, - is stdin")->required();
  command->footer(kFooter);
  command->callback([&globals, &action, files] {
    action = {[&globals, files] { return import_runs(globals, *files); }, false};
  });
}

}  // namespace lapcast
