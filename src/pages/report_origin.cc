#include "pages/report_origin.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "forecast/lap_profile.h"
#include "query/stored_race.h"
#include "query/typed_command.h"
#include "remote/ssh.h"
#include "report/gpu_report.h"
#include "run/libraries.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

using Json = nlohmann::ordered_json;

/// Returns the command that measures a sweep once more. The store has only the values of
/// placeholders, not its other options.
std::string sweep_command(const Sweep& sweep, const std::vector<Run>& probes) {
  std::string line = "lapcast sweep";
  if (const auto race = race_of(sweep))
    line += fmt::format(
        " --race{}{}",
        race->goal == RaceGoal::front ? "" : fmt::format(" --by {}", to_string(race->goal)),
        race->same_epochs ? " --same-epochs" : "");
  if (sweep.fleet_file != kNoFleetFile) line += " " + shell_quote(sweep.fleet_file);
  std::map<std::string, std::vector<std::string>> values;
  const RunContext first = masked(probes.front().context);
  for (const Run& probe : probes) {
    const RunContext shown = masked(probe.context);
    for (const auto& [name, value] : shown.settings)
      if (auto& all = values[name]; std::ranges::find(all, value) == all.end())
        all.push_back(value);
  }
  for (const auto& [name, all] : values)
    line += " --set " + shell_quote(fmt::format("{}={}", name, fmt::join(all, ",")));
  line += " --";
  for (const std::string& word : first.program) line += " " + shell_quote(word);
  return line;
}

}  // namespace

Json machines_part(std::span<const Run> runs) {
  Json machines = Json::array();
  std::set<std::pair<std::string, std::string>> known;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    const MachineDescription& machine = context.machine;
    if (!known.emplace(context.machine_type.name, machine.host).second) continue;
    Json entry{{"name", context.machine_type.name}, {"host", machine.host}};
    if (!machine.cpu_model.empty()) entry["cpu_model"] = machine.cpu_model;
    if (!machine.allowed_cpus.empty()) entry["cpus"] = machine.allowed_cpus.size();
    if (machine.memory_bytes > 0) entry["memory_bytes"] = machine.memory_bytes;
    for (const Accelerator& gpu : machine.accelerators) {
      entry["gpus"].push_back(gpu.model);
      if (gpu.set_up) entry["gpu_set_up"].push_back(describe(*gpu.set_up));
      if (!gpu.driver.empty()) entry["versions"]["driver"] = gpu.driver;
    }
    for (const Library& library : libraries_of(run))
      entry["versions"][library.name] = library.version;
    if (!machine.os.empty()) entry["versions"]["system"] = machine.os;
    if (!context.lapcast_version.empty()) entry["versions"]["lapcast"] = context.lapcast_version;
    machines.push_back(std::move(entry));
  }
  return machines;
}

Json prices_part(std::span<const Offer> offers) {
  Json prices = Json::array();
  for (const Offer& offer : offers)
    if (offer.price.per_hour > Money())
      prices.push_back({{"offer", offer.name},
                        {"usd_per_hour", offer.price.per_hour.dollars()},
                        {"terms", name_of(offer.terms)},
                        {"as_of", offer.as_of},
                        {"source", offer.source}});
  return prices;
}

Json method_part() {
  return Json::array(
      {{{"name", "steady laps"},
        {"text",
         "The first lap, a slow warm-up and what lies before a change of level do not "
         "count. The mean of the laps after it is taken, and its interval allows for laps "
         "that depend on each other."},
        {"constants", {{"smallest level shift", 0.01}}}},
       {{"name", "forecast"},
        {"text",
         "Start, warm-up, laps, validations, epoch boundaries, checkpoints and the end are "
         "added up; their errors are independent. What a run did not show is assumed. "
         "Finished runs of the same program correct the sum. Intervals are of 95 %."},
        {"constants",
         {{"spread between runs", kPriors.spread_between_runs},
          {"validated sample / trained sample", kPriors.forward_share.mid}}}},
       {{"name", "bill"},
        {"text",
         "Boot and training time, rounded up to the billing step of the offer, at its "
         "price. Amounts are exact."},
        {"constants", Json::object()}},
       {{"name", "P(cheapest), P(fastest)"},
        {"text",
         "The share of equally likely cases of all candidates together in which this one is "
         "best; what one run says of several candidates is fast or slow together."},
        {"constants", Json::object()}}});
}

Json commands_part(const SelectedRuns& selected) {
  Json commands = Json::array();
  if (selected.sweep && !selected.probes.empty()) {
    if (!selected.sweep->fleet_file.empty())
      commands.push_back(sweep_command(*selected.sweep, selected.probes));
    commands.push_back("lapcast rank --sweep " + selected.sweep->id);
    return commands;
  }
  std::set<std::string> known;
  constexpr std::size_t kMostCommands = 20;
  for (const Run& run : selected.runs) {
    if (!run.context.imported_from.empty()) continue;  // its program is the name of a log
    const bool is_whole = run.context.kind == RunKind::full;
    std::string line =
        typed_command(is_whole ? "lapcast watch --" : "lapcast probe --", masked(run.context));
    if (known.size() < kMostCommands && known.insert(line).second) commands.push_back(line);
  }
  return commands;
}

}  // namespace lapcast
