#include "fleet/found_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostNames = 5;

const char* noun_of(const WantedSweep& wanted) {
  return wanted.fleet_file.empty() ? "set" : "sweep";
}

/// Names sweeps over the same fleet file with runs that are under way on their machines.
std::vector<std::string> runs_left_alone(const Store& store, const WantedSweep& wanted) {
  std::vector<std::string> said;
  if (wanted.fleet_file.empty()) return said;
  std::map<std::string, std::size_t> under_way;
  for (const PendingRun& pending_run : store.pending_runs())
    if (pending_run.purpose == "probe") ++under_way[pending_run.sweep];
  for (const Sweep& sweep : store.sweeps())
    if (const auto left = under_way.find(sweep.id);
        sweep.fleet_file == wanted.fleet_file && left != under_way.end())
      said.push_back(
          fmt::format("warning: {} of sweep {} {} still under way on a remote machine, and nobody "
                      "waits for {} any more",
                      left->second == 1 ? "a run" : fmt::format("{} runs", left->second), sweep.id,
                      left->second == 1 ? "is" : "are", left->second == 1 ? "it" : "them"));
  return said;
}

FoundSweep begin(Store& store, const WantedSweep& wanted) {
  FoundSweep found;
  found.said = runs_left_alone(store, wanted);
  found.sweep = {new_id(),
                 wanted.key,
                 utc_now(),
                 wanted.fleet_file,
                 describe_sweep(wanted.subject, wanted.program),
                 false};
  store.save_sweep(found.sweep);
  return found;
}

}  // namespace

FoundSweep find_or_begin(Store& store, const WantedSweep& wanted) {
  if (wanted.again) return begin(store, wanted);
  const std::vector<Sweep> known = store.sweeps_by_key(wanted.key);
  if (known.empty()) return begin(store, wanted);
  const auto same = std::find_if(known.rbegin(), known.rend(), [&](const Sweep& sweep) {
    return changed_since(sweep, wanted.program).empty();
  });
  if (same != known.rend() && (!wanted.keep || same == known.rbegin())) return {*same, {}};
  const Sweep& newest = known.back();
  const std::string what =
      fmt::format("the program changed since {} {}: {}", noun_of(wanted), newest.id,
                  short_list(changed_since(newest, wanted.program)));
  if (wanted.keep) return {newest, {what + "; going on with what was measured (--keep)"}};
  FoundSweep found = begin(store, wanted);
  found.said.insert(found.said.begin(),
                    what + "; measuring anew (--keep goes on with what was measured)");
  return found;
}

std::vector<std::string> changed_since(const Sweep& sweep, const ProgramContent& now) {
  const auto before = program_of_description(sweep.description);
  return before ? changed_files(*before, now) : std::vector<std::string>{};
}

std::string short_list(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostNames);
  const std::string text = fmt::format("{}", fmt::join(names.begin(), names.begin() + shown, ", "));
  return shown == names.size() ? text : fmt::format("{} and {} more", text, names.size() - shown);
}

std::string describe_sweep(const std::string& subject, const ProgramContent& program) {
  nlohmann::json description{{"program", program}};
  if (!subject.empty()) description["subject"] = subject;
  return description.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::optional<ProgramContent> program_of_description(const std::string& description) {
  const auto json = nlohmann::json::parse(description, nullptr, false);
  if (!json.is_object() || !json.contains("program") || !json["program"].is_object())
    return std::nullopt;
  ProgramContent program;
  for (const auto& [name, hash] : json["program"].items())
    if (hash.is_string()) program[name] = hash.get<std::string>();
  return program;
}

}  // namespace lapcast
