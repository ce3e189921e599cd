#include <fmt/format.h>

#include <cstddef>
#include <string>
#include <utility>

#include "cli/commands.h"
#include "cli/console.h"
#include "core/units.h"
#include "query/run_list.h"

namespace lapcast {
namespace {

constexpr const char* kSweepsFooter = R"(
Examples:
  lapcast sweeps                          the newest last
  lapcast sweeps name 3f0c baseline       then: lapcast rank --sweep baseline
  lapcast sweeps rm 3f0c                  with all its runs

The first digits of a sweep's id are enough.)";

ExitCode sweeps(const Globals& globals) {
  print(globals, {sweep_list(globals.open_existing_store())});
  return ExitCode::ok;
}

/// Returns the sweep that the user names. Throws Error (usage) if there is none.
Sweep sweep_of(const Store& store, const std::string& id_or_name) {
  if (auto found = store.find_sweep(id_or_name)) return *std::move(found);
  throw Error(ExitCode::usage, fmt::format("there is no sweep '{}'; lapcast sweeps lists them",
                                           printable(id_or_name, 70)));
}

struct SweepNameArguments {
  std::string sweep;
  std::string name;
};

ExitCode name_sweep(const Globals& globals, const SweepNameArguments& options) {
  globals.open_existing_store();  // refuses before a store is created
  Store store = globals.open_store();
  store.name_sweep(sweep_of(store, options.sweep).id, options.name);
  return ExitCode::ok;
}

ExitCode remove_sweep(const Globals& globals, const SweepNameArguments& options) {
  globals.open_existing_store();
  Store store = globals.open_store();
  const Sweep sweep = sweep_of(store, options.sweep);
  const std::size_t runs = store.count({.sweep = sweep.id});
  store.remove_sweep(sweep.id);
  if (!globals.quiet) say("sweep {} and its {} runs are removed", sweep.id, runs);
  return ExitCode::ok;
}

}  // namespace

static void add_sweeps(CLI::App& app, CommandLine& line) {
  CLI::App& command =
      line.add(app, "sweeps", "list the sweeps in the store", kSweepsFooter, sweeps);
  const auto [name, name_options] =
      line.add(command, "name", "give a sweep a name", kSweepsFooter, name_sweep);
  add_options(name, {{"SWEEP", &name_options.sweep, "its id or name", kRequired},
                     {"NAME", &name_options.name, "the name [removes it]"}});
  const auto [rm, rm_options] =
      line.add(command, "rm", "remove a sweep with its runs", kSweepsFooter, remove_sweep);
  add_options(rm, {{"SWEEP", &rm_options.sweep, "its id or name", kRequired}});
}

extern const NamedCommand kSweepsCommand{"sweeps", add_sweeps};

}  // namespace lapcast
