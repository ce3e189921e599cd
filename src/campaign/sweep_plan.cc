#include "campaign/sweep_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "campaign/batch_tries.h"
#include "core/units.h"
#include "fleet/fleet_machine.h"
#include "fleet/placeholders.h"
#include "fleet/worker_gpus.h"
#include "posix/spawn.h"
#include "query/input_files.h"
#include "run/settings.h"

namespace lapcast {
namespace {

bool is_on_this_machine(const FleetMachine& machine) {
  return is_this_machine(machine.place_setup.place);
}

/// Returns why candidates cannot run: their machine type cannot run on this machine, or has fewer
/// GPUs than they have workers. Throws Error when none can run.
std::map<std::string, Reason> impossible_candidates(const SweepPlan& plan) {
  std::map<std::string, Reason> reasons;
  for (const RunContext& candidate : plan.candidates) {
    const FleetMachine& machine = *machine_named(plan.fleet, candidate.machine_type.name);
    auto reason = lacks_gpus(machine, candidate.settings);
    if (is_on_this_machine(machine))
      if (auto of_type = why_cannot_run(machine, plan.request.probe.context.machine))
        reason = std::move(of_type);
    if (reason) reasons.emplace(candidate_name(candidate), *std::move(reason));
  }
  if (reasons.size() == plan.candidates.size())
    throw Error(ExitCode::bad_input,
                fmt::format("no machine of the fleet can run it; {}: {}",
                            printable(reasons.begin()->first), reasons.begin()->second.text));
  return reasons;
}

/// Throws Error when the program is not on this machine although a machine type of this machine
/// needs it.
void check_program(const Fleet& fleet, const std::string& name) {
  if (std::ranges::none_of(fleet.machines, is_on_this_machine)) return;
  if (const auto found = find_program(name); !found)
    throw Error(ExitCode::program_failed, found.error().text);
}

/// Changes the names of the fleet's offers to the spelling of their catalog. Throws Error when no
/// catalog has one. Returns warnings about the catalogs, which are read only when an offer or a
/// file is named.
std::vector<std::string> take_catalog_offers(Fleet& fleet, const SweepRequest& request) {
  if (request.offer_files.empty() &&
      std::ranges::all_of(fleet.machines, &std::string::empty, &FleetMachine::offer_name))
    return {};
  CatalogOffers catalogs = read_catalogs(request.offer_files, request.own_prices);
  take_offers(fleet, catalogs.offers, request.fleet_file);
  return std::move(catalogs.warnings);
}

/// Gives {seed} the value for probes if the program has it without values. Returns whether it did.
bool fill_seed(PlaceholderValues& values, const RunContext& common) {
  return std::ranges::binary_search(placeholders_of(common.program), kSeedSetting) &&
         values.insert({kSeedSetting, {kSeedOfProbes}}).second;
}

}  // namespace

SweepPlan plan_sweep(const SweepRequest& request) {
  SweepPlan plan;
  plan.request = request;
  if (request.price && !request.fleet_file.empty())
    throw Error(ExitCode::usage,
                "--price is for a sweep without a fleet file; the prices of its machines stand in "
                "the file");
  plan.written = request.offered              ? *request.offered
                 : request.fleet_file.empty() ? fleet_of_this_machine(request.price)
                                              : read_fleet_file(request.fleet_file);
  for (FleetMachine& machine : plan.written.machines) {
    std::vector<DataSet>& sets = machine.place_setup.data;
    if (!is_on_this_machine(machine))
      sets.insert(sets.end(), request.data.begin(), request.data.end());
  }
  plan.warnings = take_catalog_offers(plan.written, request);
  plan.fleet = with_nodes(plan.written);
  const RunContext& common = request.probe.context;
  PlaceholderValues& values = plan.request.values;
  for (const std::string& name : placeholders_of(common.program))
    if (const auto in_file = plan.fleet.settings.find(name); in_file != plan.fleet.settings.end())
      values.insert(*in_file);
  if (request.find_epochs && request.find_epochs->repeats > 1)
    plan.has_seeds = fill_seed(values, common);
  if (const auto batch = values.find("batch");
      batch != values.end() && batch->second == std::vector<std::string>{kAutoBatch}) {
    plan.finds_batch = true;
    if (request.race)
      throw Error(ExitCode::usage,
                  "--batch auto stands without --race; race the batch sizes that it finds");
    if (!request.allow_oom) plan.request.probe.limits.memory_share = kUsableShare;
  }
  plan.candidates = candidates_of(plan.fleet, values, common);
  check_program(plan.fleet, common.program.at(0));
  plan.impossible = impossible_candidates(plan);
  return plan;
}

const Reason* why_impossible(const SweepPlan& plan, const RunContext& candidate) {
  const auto found = plan.impossible.find(candidate_name(candidate));
  return found == plan.impossible.end() ? nullptr : &found->second;
}

ProbeRequest probe_of(const SweepRequest& request, const Fleet& fleet, RunContext context) {
  ProbeRequest probe = request.probe;
  const FleetMachine* machine = machine_named(fleet, context.machine_type.name);
  probe.place_setup = machine ? place_setup_for(*machine, context.settings) : PlaceSetup{};
  probe.context = std::move(context);
  return probe;
}

std::string key_of(const SweepPlan& plan, bool as_before) {
  const SweepRequest& request = plan.request;
  std::vector<ProbeRequest> probes;
  std::map<std::string, std::string> more;
  // The fleet file counts as written, because nodes of a cluster come and go during a sweep.
  const Fleet fleet = request.offered ? fleet_of_this_machine({}) : plan.written;
  if (request.offered) more["machines"] = "offered by adapters";
  for (RunContext& context : candidates_of(fleet, request.values, request.probe.context))
    probes.push_back(probe_of(request, fleet, std::move(context)));
  for (const FleetMachine& machine : plan.written.machines)
    if (machine.every_node_type) more["every_node_type " + machine.type.name] = "true";
  if (request.find_epochs)
    more["find_epochs"] =
        fmt::format("{} {}", request.find_epochs->patience, request.find_epochs->metric);
  if (!request.race) return fingerprint(probes, more, as_before);
  // A race leaves probes that a plain sweep would not count as done.
  const std::string_view goal = to_string(request.race->goal);
  more["race"] = fmt::format("{} {} {}", goal, request.race->confidence, request.race->same_epochs);
  return fmt::format("{}-race-{}{}", fingerprint(probes, more, true), goal,
                     request.race->same_epochs ? "-same-epochs" : "");
}

}  // namespace lapcast
