#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "cli/fleet_commands.h"
#include "cli/progress_line.h"
#include "cli/selection.h"
#include "core/error.h"
#include "core/units.h"
#include "fleet/fleet_file.h"
#include "remote/host_check.h"
#include "remote/program_files.h"
#include "report/fleet_check_report.h"
#include "report/sent_files_report.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kAtOnce = 32;

constexpr const char* kFleetCheckFooter = R"(
Examples:
  lapcast fleet check fleet.toml
  lapcast fleet check fleet.toml --json
  lapcast fleet check --files fleet.toml

Reaches every machine of the file, several at a time, and says what it is, what is free there, how
fast the way to it is, by how much its clock differs, and what a probe would lack, with the fix.
Nothing is measured and no program is started; lapcast itself is sent where it is lacking. On a
Slurm cluster one node of each entry is asked, by a job of some seconds, if one is free within
--wait. Exit code 1 when a machine cannot be reached or lacks something.

With --files no machine is reached: the files of this folder and the data sets that would be sent to
machines elsewhere are listed, and what lapcast's default rules keep at home.)";

struct FleetCheckArguments {
  std::string fleet_file;
  std::string wait = "20s";
  bool files = false;
};

/// Sites to be reached: a machine that stands in the file several times is asked once.
struct SiteCheck {
  PlaceSetup site;
  MachineCheck result;
};

bool same_machine(const PlaceSetup& a, const PlaceSetup& b) { return a.place == b.place && a.folder == b.folder; }

std::vector<SiteCheck> distinct_sites(const Fleet& fleet) {
  std::vector<SiteCheck> sites;
  for (const FleetMachine& machine : fleet.machines) {
    const bool known = std::any_of(sites.begin(), sites.end(), [&](const SiteCheck& check) {
      return same_machine(check.site, machine.site);
    });
    if (!known) sites.push_back({machine.site, {}});
  }
  return sites;
}

/// With an entry for each type of nodes, where there are to be. Not when their cluster does not answer:
/// then its own row says why.
Fleet nodes_of(const Fleet& written) {
  try {
    return with_nodes(written);
  } catch (const Error&) {
    return written;
  }
}

void check_all(std::vector<SiteCheck>& sites, Seconds wait, const Interrupt& interrupt, bool quiet) {
  std::atomic<std::size_t> next = 0, done = 0;
  std::vector<std::thread> workers;
  for (std::size_t i = 0; i < std::min(kAtOnce, sites.size()); ++i)
    workers.emplace_back([&] {
      for (std::size_t mine = next++; mine < sites.size(); mine = next++, ++done)
        sites[mine].result = check_site(sites[mine].site, wait, interrupt);
    });
  ProgressLine progress(quiet);
  while (done < sites.size()) {
    progress.show(fmt::format("reaching {} machines: {} answered", sites.size(), done.load()));
    std::this_thread::sleep_for(20ms);
  }
  for (std::thread& worker : workers) worker.join();
}

/// What that machine of the file needs beyond what any does.
void add_own_needs(const FleetMachine& machine, MachineCheck& check) {
  if (check.unreachable || is_queued(machine.site.place)) return;
  if (const auto reason = cannot_run_here(machine, check.facts.machine))
    check.lacking.push_back("what it asks for: " + reason->text);
}

/// Returns the data sets of the file, which are the same for all its machines elsewhere.
std::vector<DataSet> data_of(const Fleet& fleet) {
  for (const FleetMachine& machine : fleet.machines)
    if (!is_here(machine.site.place)) return machine.site.data;
  return {};
}

void add_rows(const FileList& list, const std::string& part, std::vector<SentFileRow>& sent,
              std::vector<UnsentFileRow>& unsent) {
  for (const ListedFile& file : list.files) {
    const char* type = file.kind == FileKind::file   ? "file"
                       : file.kind == FileKind::link ? "link"
                                                     : "empty folder";
    sent.push_back({file.path, type, part, file.bytes});
  }
  for (const UnsentFile& file : list.unsent)
    unsent.push_back({file.path,
                      file.why == Ignored::as_secret ? "secret" : "version control, cache",
                      bytes_below(list.folder / file.path)});
}

ExitCode list_files_of(const Globals& globals, const FleetCheckArguments& options) {
  const Fleet fleet = read_fleet_file(options.fleet_file);
  const auto files = program_files(std::filesystem::current_path(), data_of(fleet),
                                   store_files(globals.store_path()));
  if (!files) throw Error(ExitCode::bad_input, files.error().text);
  std::vector<SentFileRow> sent;
  std::vector<UnsentFileRow> unsent;
  add_rows(files->program, "program", sent, unsent);
  for (const SentData& set : files->data) add_rows(set.list, "data " + set.path, sent, unsent);
  std::vector<Table> tables = sent_files_tables(sent, unsent);
  const auto is_this_one = [](const FleetMachine& machine) { return is_here(machine.site.place); };
  if (std::all_of(fleet.machines.begin(), fleet.machines.end(), is_this_one))
    tables[0].notes.push_back("every machine of the fleet file is this one: nothing is sent to them");
  print(globals, tables);
  return ExitCode::ok;
}

ExitCode check_fleet(const Globals& globals, const FleetCheckArguments& options) {
  if (options.files) return list_files_of(globals, options);
  const Seconds wait = parse_duration(options.wait);
  const Fleet fleet = nodes_of(read_fleet_file(options.fleet_file));
  std::vector<SiteCheck> sites = distinct_sites(fleet);
  Interrupt interrupt;
  check_all(sites, wait, interrupt, globals.quiet);
  if (interrupt.count() > 0) return ExitCode::interrupted;
  std::vector<CheckedMachine> checked;
  for (const FleetMachine& machine : fleet.machines) {
    const auto found = std::find_if(sites.begin(), sites.end(), [&](const SiteCheck& check) {
      return same_machine(check.site, machine.site);
    });
    checked.push_back({machine.type.name, describe(machine.site.place), found->result});
    add_own_needs(machine, checked.back().check);
  }
  print(globals, fleet_check_tables(checked));
  const bool all_ready = std::all_of(checked.begin(), checked.end(), [](const CheckedMachine& entry) {
    return is_ready(entry.check);
  });
  return all_ready ? ExitCode::ok : ExitCode::some_failed;
}

}  // namespace

void add_fleet_check(CLI::App& fleet, Globals& globals, Action& action) {
  auto options = std::make_shared<FleetCheckArguments>();
  CLI::App* command = fleet.add_subcommand("check", "reach every machine of a fleet file and say "
                                                    "what it is and what it lacks");
  command->add_option("FLEET.toml", options->fleet_file, "machines and their prices")->required();
  command->add_option("--wait", options->wait, "for a free node of a Slurm cluster")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_flag("--files", options->files,
                    "reach no machine; list what would be sent of this folder");
  command->footer(kFleetCheckFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return check_fleet(globals, *options); }, false};
  });
}

}  // namespace lapcast
