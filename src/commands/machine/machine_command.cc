#include <fmt/format.h>

#include <string>
#include <tuple>
#include <vector>

#include "cli/commands.h"
#include "discover/discover.h"
#include "probe/interrupt.h"
#include "probe/quiet_check.h"
#include "remote/host_check.h"
#include "report/fleet_report.h"
#include "table/table.h"

namespace lapcast {
namespace {

struct MachineArguments {
  bool quiet_check = false;
};

constexpr const char* kMachineFooter = R"(
Examples:
  lapcast machine
  lapcast machine --format json
  lapcast machine --quiet-check && lapcast sweep fleet.toml -- ./train.py

--quiet-check works on all CPUs for three seconds and says how much others used them meanwhile, and
how evenly the work went. It ends with 1 where a measurement should wait.)";

ExitCode look_whether_quiet(const Globals& globals) {
  const Interrupt interrupt;
  const QuietCheck check = check_quiet(allowed_cpus(), Seconds{3}, interrupt);
  if (interrupt.count() > 0) return ExitCode::interrupted;
  const std::string why_not = why_not_quiet(check);
  Table table = figure_table(
      "quiet", "Is this machine quiet?",
      {{"is_quiet", "", why_not.empty()},
       {"cpus", "", Number{check.cpus, 0}},
       {"others_used_cpus", "others used", Number{check.others_cpus, 2},
        fmt::format("of {:.0f} CPUs", check.cpus)},
       {"lost_to_others_share", "lost to others", Percentage{check.lost_share}, "of the time"},
       {"stolen_share", "taken by the host", Percentage{check.stolen}, "of the CPUs' time"},
       {"spread", "same work varied by", Percentage{check.spread},
        "standard deviation of 20 ms of work"}});
  table.notes.push_back(why_not.empty() ? "yes: now is a good moment to measure"
                                        : "no, measure later: " + why_not);
  print(globals, {table});
  return why_not.empty() ? ExitCode::ok : ExitCode::some_failed;
}

ExitCode describe_machine(const Globals& globals, const MachineArguments& options) {
  if (options.quiet_check) return look_whether_quiet(globals);
  const MachineDescription machine = describe_this_machine();
  MachineExtras extras;
  if (!machine.accelerators.empty()) {
    extras.gpu_uuids = gpu_uuids_of_this_machine();
    std::tie(extras.torch, extras.cudnn) = torch_of_this_machine();
  }
  print(globals, {machine_table(machine, extras)});
  return ExitCode::ok;
}

}  // namespace

static void add_machine(CLI::App& app, CommandLine& line) {
  const auto [command, options] =
      line.add(app, "machine", "describe this machine: CPU, memory, accelerators, limits",
               kMachineFooter, describe_machine);
  add_options(command, {{"--quiet-check", &options.quiet_check,
                         "say whether now is a good moment to measure on it"}});
}

extern const NamedCommand kMachineCommand{"machine", add_machine};

}  // namespace lapcast
