#include "fleet/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "core/error.h"
#include "core/hash.h"
#include "core/units.h"
#include "fleet/placeholders.h"
#include "fleet/power_setting.h"
#include "fleet/worker_gpus.h"
#include "history/assessment.h"
#include "remote/nodes_run.h"
#include "remote/remote_request.h"
#include "run/settings.h"

namespace lapcast {
namespace {

/// Returns all combinations of values; the last placeholder varies fastest.
std::vector<std::map<std::string, std::string>> combinations(const PlaceholderValues& values) {
  std::vector<std::map<std::string, std::string>> result{{}};
  for (const auto& [name, choices] : values) {
    std::vector<std::map<std::string, std::string>> longer;
    for (const auto& settings : result)
      for (const std::string& choice : choices) {
        longer.push_back(settings);
        longer.back()[name] = choice;
      }
    result = std::move(longer);
  }
  return result;
}

/// Returns the values for one machine: {workers} has its own where the user names none.
PlaceholderValues values_on(const FleetMachine& machine, PlaceholderValues values,
                            const std::vector<std::string>& wanted) {
  if (std::ranges::binary_search(wanted, kWorkersSetting))
    if (auto numbers = default_workers(machine); !numbers.empty())
      values.insert({kWorkersSetting, std::move(numbers)});
  return values;
}

void check_placeholders(const std::vector<std::string>& wanted, const PlaceholderValues& values,
                        const std::string& machine) {
  for (const std::string& name : wanted)
    if (values.contains(name) || is_filled_on_nodes(name))
      continue;
    else if (name == kWorkersSetting)
      throw Error(ExitCode::usage,
                  fmt::format("how many {{workers}} is not known for {}: add --workers 1,2,4, or "
                              "gpus = 8 to the machine in the fleet file",
                              printable(machine)));
    else
      throw Error(ExitCode::usage,
                  fmt::format("the placeholder {{{}}} in the program has no values; add --set "
                              "{}=VALUE,VALUE (or [sweep] {} = [...] to the fleet file)",
                              name, name, name));
  const auto is_limit = [](const std::string& value) { return power_limit_of(value).has_value(); };
  for (const auto& [name, choices] : values)
    if (!std::binary_search(wanted.begin(), wanted.end(), name) &&
        !(name == kPowerSetting && std::ranges::all_of(choices, is_limit)))
      throw Error(ExitCode::usage,
                  fmt::format("values are given for {}, but the program's arguments have no "
                              "placeholder {{{}}}",
                              printable(name), printable(name)));
}

bool is_cheaper(const RunContext& a, const RunContext& b) {
  return a.price && (!b.price || a.price->price < b.price->price);
}

}  // namespace

std::vector<RunContext> candidates_of(const Fleet& fleet, const PlaceholderValues& values,
                                      const RunContext& common) {
  const std::vector<std::string> wanted = placeholders_of(common.program);
  std::vector<RunContext> result;
  for (const FleetMachine& machine : fleet.machines) {
    const PlaceholderValues own = values_on(machine, values, wanted);
    check_placeholders(wanted, own, machine.type.name);
    for (const auto& settings : combinations(own)) {
      RunContext context = common;
      context.machine_type = machine.type;
      context.place = describe(machine.place_setup.place);
      if (!context.place.empty()) context.machine = {};  // its agent describes it
      take_price(machine, settings, context);
      context.settings = settings;
      result.push_back(std::move(context));
    }
  }
  return result;
}

RunContext with_seed(RunContext context, std::size_t number) {
  if (std::ranges::binary_search(placeholders_of(context.program), kSeedSetting))
    context.settings[kSeedSetting] = std::to_string(number);
  return context;
}

std::vector<RunContext> on_cheapest_machine(const std::vector<RunContext>& candidates) {
  std::map<std::map<std::string, std::string>, RunContext> cheapest;
  for (const RunContext& candidate : candidates) {
    const auto [entry, is_new] = cheapest.try_emplace(candidate.settings, candidate);
    if (!is_new && is_cheaper(candidate, entry->second)) entry->second = candidate;
  }
  std::vector<RunContext> result;
  for (auto& [settings, candidate] : cheapest) result.push_back(std::move(candidate));
  return result;
}

std::string candidate_name(const RunContext& context) {
  const std::string settings = settings_text(context);
  return settings.empty() ? context.machine_type.name : context.machine_type.name + " " + settings;
}

CandidateKey candidate_key(const RunContext& context) {
  return {candidate_name(context), context.program};
}

std::string fingerprint(const std::vector<ProbeRequest>& probes,
                        const std::map<std::string, std::string>& more, bool with_prices) {
  Fnv1a hash;
  hash.add("lapcast sweep 2");
  for (ProbeRequest probe : probes) {
    probe.context.id.clear();
    probe.context.machine = {};
    probe.context.lapcast_version.clear();
    probe.context.started_at.clear();
    // These only say what happens after the last lap.
    probe.limits.grace = ProbeLimits{}.grace;
    probe.limits.max_log_bytes = ProbeLimits{}.max_log_bytes;
    probe.limits.device_precision.reset();  // never was in the hash, which has the precision
    probe.keep_run_folder = false;
    if (!with_prices) {
      probe.context.price.reset();
      probe.context.offer.clear();
    }
    // The day of a price follows from that of the file, which changes with every edit.
    if (probe.context.price && probe.context.price->source.starts_with(kFromFleetFile))
      probe.context.price->as_of.clear();
    if (is_this_machine(probe.place_setup.place))
      probe.place_setup.needs.clear();  // never was in the hash
    const std::string request = to_json_line(RemoteRequest{probe});
    hash.add(request + "\n" + probe.run_parent.native() + '\0');
  }
  for (const auto& [name, value] : more) hash.add(name + '\0' + value + '\0');
  return fmt::format("{:016x}", hash.value());
}

}  // namespace lapcast
