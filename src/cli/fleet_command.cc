#include <CLI/CLI.hpp>

#include "cli/fleet_commands.h"

namespace lapcast {
namespace {

constexpr const char* kFleetFooter = R"(
Examples:
  lapcast fleet check fleet.toml                can probes run on each machine, and if not, why?
  lapcast fleet from-slurm --out cluster.toml   a fleet file of this cluster

docs/fleet-file.md describes fleet files, docs/fleet.md walks through remote machines.)";

}  // namespace

void add_fleet(CLI::App& app, Globals& globals, Action& action) {
  CLI::App* command =
      app.add_subcommand("fleet", "fleet files: reach and check their machines, or write one");
  command->require_subcommand(1);
  add_fleet_check(*command, globals, action);
  add_fleet_from_slurm(*command, globals, action);
  command->footer(kFleetFooter);
}

}  // namespace lapcast
