#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "campaign/rent_check.h"
#include "campaign/rent_plan.h"
#include "cli/commands.h"
#include "cli/progress_line.h"
#include "commands/fleet/fleet_check.h"
#include "commands/fleet/fleet_check_command.h"
#include "core/units.h"
#include "query/input_files.h"
#include "report/rent_check_report.h"

namespace lapcast {
namespace {

constexpr const char* kFleetCheckFooter = R"(
Examples:
  lapcast fleet check fleet.toml
  lapcast fleet check fleet.toml --json
  lapcast fleet check --hardware fleet.toml
  lapcast fleet check --files fleet.toml

Reaches every machine of the file, several at a time, and says what it is, what is free there, how
fast the way to it is, by how much its clock differs, and what a probe would lack, with the fix.
Nothing is measured and no program is started; lapcast itself is sent where it is lacking. On a
Slurm cluster one node of each entry is asked, by a job of some seconds, if one is free within
--wait. Of machines to rent, the adapter and the price now are checked, and nothing is rented. Exit code 1 when a machine cannot be reached or lacks something.

With --hardware the result is one table of testbeds, as papers print: CPU, clock, cores and threads,
memory, GPU with its CUDA cores and memory, and versions.

With --files no machine is reached: the files of this folder and the data sets that would be sent to
remote machines are listed, and what lapcast's default rules leave out.)";

struct FleetCheckArguments {
  std::string fleet_file;
  Seconds wait{20};
  bool files = false;
  bool hardware = false;
};

ExitCode list_files_of(const Globals& globals, const Fleet& fleet) {
  const FilesToSend files =
      files_to_send(fleet, std::filesystem::current_path(), globals.store_path());
  std::vector<Table> tables = sent_files_tables(files.sent, files.unsent);
  if (files.all_local)
    tables[0].notes.push_back(
        "every machine of the fleet file is this one: nothing is sent to them");
  print(globals, tables);
  return ExitCode::ok;
}

/// Returns the fleet without the machines that have to be rented: a check rents none.
Fleet without_rented(Fleet fleet) {
  std::erase_if(fleet.machines,
                [](const FleetMachine& machine) { return machine.rent.has_value(); });
  return fleet;
}

ExitCode check_fleet_file(const Globals& globals, const FleetCheckArguments& options) {
  const Fleet fleet = read_fleet_file(options.fleet_file);
  if (options.files) return list_files_of(globals, fleet);
  const RentPlan plan = read_rent_plan(fleet, {}, globals.own_prices);
  const std::vector<RentCheckRow> rentable = rent_check(plan, false);
  Interrupt interrupt;
  ProgressLine progress(globals.quiet);
  const auto checked = check_fleet(
      without_rented(fleet), options.wait, interrupt, [&](std::size_t answered, std::size_t all) {
        progress.show(fmt::format("reaching {} machines: {} answered", all, answered));
      });
  progress.clear();
  if (interrupt.count() > 0) return ExitCode::interrupted;
  std::vector<Table> tables =
      options.hardware ? std::vector<Table>{hardware_table(checked)} : fleet_check_tables(checked);
  if (checked.empty() && !rentable.empty()) tables.clear();
  if (!rentable.empty()) tables.push_back(rent_check_table(rentable));
  print(globals, tables);
  const bool all_ready =
      std::ranges::all_of(checked, [](const CheckedMachine& one) { return is_ready(one.check); }) &&
      std::ranges::all_of(rentable, &std::string::empty, &RentCheckRow::problem);
  return all_ready ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

void add_fleet_check(CLI::App& fleet, CommandLine& line) {
  const auto [command, options] = line.add(
      fleet, "check", "reach every machine of a fleet file and say what it is and what it lacks",
      kFleetCheckFooter, check_fleet_file);
  add_options(command, {{"FLEET.toml", &options.fleet_file, "machines and their prices", kRequired},
                        {"--wait TIME", parsed(options.wait, parse_duration, "20s"),
                         "for a free node of a Slurm cluster"},
                        {"--hardware", &options.hardware, "print one table of testbeds instead"},
                        {"--files", &options.files,
                         "reach no machine; list what would be sent of this folder"}});
}

}  // namespace lapcast
