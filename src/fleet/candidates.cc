#include "fleet/candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <set>

#include "choose/assessment.h"
#include "core/error.h"
#include "core/hash.h"
#include "core/units.h"
#include "fleet/power_limit.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

bool is_name_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}
bool is_name(std::string_view text) {
  return !text.empty() && (text[0] < '0' || text[0] > '9') &&
         std::all_of(text.begin(), text.end(), is_name_char);
}

void collect(std::string_view argument, std::set<std::string>& names) {
  for (std::size_t at = 0; (at = argument.find('{', at)) != std::string_view::npos; ++at) {
    const std::size_t end = argument.find('}', at);
    if (end == std::string_view::npos) return;
    const std::string_view name = argument.substr(at + 1, end - at - 1);
    if (is_name(name) && name != "run_dir") names.emplace(name);
  }
}

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

void check_placeholders(const std::vector<std::string>& program, const PlaceholderValues& values) {
  const std::vector<std::string> wanted = placeholders_of(program);
  for (const std::string& name : wanted)
    if (!values.contains(name))
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

std::vector<std::string> placeholders_of(const std::vector<std::string>& program) {
  std::set<std::string> names;
  for (const std::string& argument : program) collect(argument, names);
  return {names.begin(), names.end()};
}

std::pair<std::string, std::vector<std::string>> parse_setting(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  if (equals == std::string::npos || !is_name(name))
    throw Error(ExitCode::usage, fmt::format("'{}' is not NAME=VALUE,VALUE, such as batch=128,512",
                                             printable(text)));
  std::vector<std::string> values;
  for (std::size_t begin = equals + 1;;) {
    const std::size_t comma = text.find(',', begin);
    const std::string value = text.substr(begin, comma - begin);
    if (value.empty() || std::find(values.begin(), values.end(), value) != values.end())
      throw Error(ExitCode::usage,
                  fmt::format("'{}' has {} value; write each once: batch=128,512", printable(text),
                              value.empty() ? "an empty" : "a repeated"));
    values.push_back(value);
    if (comma == std::string::npos) break;
    begin = comma + 1;
  }
  return {name, values};
}

std::vector<RunContext> candidates_of(const Fleet& fleet, const PlaceholderValues& values,
                                      const RunContext& common) {
  check_placeholders(common.program, values);
  std::vector<RunContext> result;
  for (const FleetMachine& machine : fleet.machines)
    for (const auto& settings : combinations(values)) {
      RunContext context = common;
      context.machine_type = machine.type;
      context.place = describe(machine.place_setup.place);
      if (!context.place.empty()) context.machine = {};  // its agent describes it
      context.offer = machine.offer_name;
      context.price = machine.offer;
      context.settings = settings;
      result.push_back(std::move(context));
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
                        const std::map<std::string, std::string>& more) {
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
    // The day of a price follows from that of the file, which changes with every line of it.
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
