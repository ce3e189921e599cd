#include "campaign/fleet_repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "campaign/measuring_session.h"
#include "campaign/rent_plan.h"
#include "campaign/repeat_campaign.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/placeholders.h"
#include "history/assessment.h"
#include "machine/proc_text.h"
#include "query/input_files.h"
#include "query/run_set.h"
#include "query/sweep_state.h"
#include "rank/comparison.h"
#include "run/settings.h"

namespace lapcast {
namespace {

constexpr std::string_view kFleetKey = "repeats ";  // a key begins so

Result<double> time_of_run(const Run& run) {
  return value_of(run, parse_run_metric("time"));
}

bool has_settings(const RunContext& candidate, const std::map<std::string, std::string>& wanted) {
  return std::ranges::all_of(wanted, [&](const auto& setting) {
    const auto own = candidate.settings.find(setting.first);
    return own != candidate.settings.end() && own->second == setting.second;
  });
}

/// Returns the first candidate that "cpu,batch=128" names. Throws Error (usage) without one.
std::size_t baseline_of(const std::string& text, const std::vector<RunContext>& candidates) {
  if (text.empty()) return 0;
  const std::vector<std::string_view> parts = split(text, ',');
  const std::string machine(parts.front());
  std::map<std::string, std::string> settings;
  for (const std::string_view part : std::span(parts).subspan(1)) {
    const auto [name, values] = parse_setting(std::string(part));
    settings[name] = values.front();
  }
  const auto found = std::ranges::find_if(candidates, [&](const RunContext& candidate) {
    return candidate.machine_type.name == machine && has_settings(candidate, settings);
  });
  if (found != candidates.end()) return static_cast<std::size_t>(found - candidates.begin());
  throw Error(ExitCode::usage, fmt::format("--baseline: no candidate is {}; the first is {}",
                                           printable(text), candidate_name(candidates.front())));
}

/// Returns the key of the set of a plan; `as_before` is that of key_of().
std::string key_of_set(const FleetRepeatPlan& plan, bool as_before = false) {
  return fmt::format("{}{} {}", kFleetKey, plan.request.warm_ups, key_of(plan.sweep, as_before));
}

/// Throws Error (usage) when no candidate is on that machine type.
void check_server(const std::string& server, const std::vector<RunContext>& candidates) {
  const auto is_on_it = [&](const RunContext& one) { return one.machine_type.name == server; };
  if (std::ranges::none_of(candidates, is_on_it))
    throw Error(ExitCode::usage,
                fmt::format("--server: the fleet has no machine {}", printable(server)));
}

class FleetRepeater {
 public:
  FleetRepeater(const FleetRepeatPlan& plan, const MeasuringTools& tools)
      : plan_(plan),
        request_(plan.request),
        tools_(tools),
        key_(key_of_set(plan)),
        session_(tools, tools.lock(key_, "these candidates"), request_.sweep.probe.run_parent) {}

  FleetRepeatResult run() {
    const SweepRequest& sweep = request_.sweep;
    result_.set = session_.begin({.key = key_,
                                  .former_key = key_of_set(plan_, true),
                                  .fleet_file = "",
                                  .subject = subject(),
                                  .folder = sweep.probe.context.working_dir,
                                  .name = sweep.name,
                                  .program = program_content(plan_.sweep.candidates),
                                  .again = sweep.again,
                                  .keep = sweep.keep});
    take_groups();
    repeat();
    finish();
    return std::move(result_);
  }

 private:
  /// Returns the program's name and the fleet file: "train on fleet.toml".
  std::string subject() const {
    const SweepRequest& sweep = request_.sweep;
    const std::string program = program_name(sweep.probe.context);
    return sweep.fleet_file.empty() ? program : program + " on " + sweep.fleet_file;
  }

  /// Makes a group for each candidate from the runs of the set that ended by themselves.
  void take_groups() {
    result_.groups.clear();
    for (const RunContext& candidate : plan_.sweep.candidates)
      result_.groups.push_back({candidate.machine_type.name, settings_of_set(candidate), {}, ""});
    // The runs of a set have one program. Runs with changed data stay apart.
    for (RepeatGroup& stored : repeat_groups(session_.runs_of(result_.set)))
      for (RepeatGroup& group : result_.groups)
        if (group.machine_type == stored.machine_type && group.settings == stored.settings)
          group = std::move(stored);
  }

  /// Returns the candidates that can run, with what was measured of them. Sets `index` to the
  /// position of each in the plan.
  std::vector<RepeatedCandidate> candidates(std::vector<std::size_t>& index) const {
    std::vector<RunContext> contexts;
    const auto& all = plan_.sweep.candidates;
    for (std::size_t i = 0; i < all.size(); ++i)
      if (why_impossible(plan_.sweep, all[i]) == nullptr)
        contexts.push_back(with_seed(all[i], result_.groups[i].runs.size() + 1));
    const auto request = [this](RunContext context) {
      context.kind = RunKind::full;
      return probe_of(request_.sweep, plan_.sweep.fleet, std::move(context));
    };
    std::vector<RepeatedCandidate> repeated;
    // A run that is under way on a remote machine keeps its id and is followed.
    for (ProbeRequest& probe :
         remaining(contexts, result_.set, {}, tools_.store.pending_runs(), request)) {
      const RunContext& own = probe.context;
      const auto is_own = [&](const RepeatGroup& group) {
        return group.machine_type == own.machine_type.name &&
               group.settings == settings_of_set(own);
      };
      index.push_back(static_cast<std::size_t>(std::ranges::find_if(result_.groups, is_own) -
                                               result_.groups.begin()));
      RepeatedCandidate candidate{.request = std::move(probe), .values = {}, .warm_ups = 0};
      for (const Run& run : result_.groups[index.back()].runs)
        if (run.context.warm_up)
          ++candidate.warm_ups;
        else if (const auto value = request_.value(run))
          candidate.values.push_back(*value);
      repeated.push_back(std::move(candidate));
    }
    return repeated;
  }

  void repeat() {
    std::vector<std::size_t> index;
    const RepeatsResult repeats = session_.repeat("running to the end", candidates(index),
                                                  request_.rule, request_.warm_ups, request_.value);
    take_groups();
    result_.interrupted = repeats.interrupted;
    for (std::size_t i = 0; i < index.size(); ++i)
      result_.groups[index[i]].reason = repeats.reasons[i];
    for (std::size_t i = 0; i < result_.groups.size(); ++i)
      if (const Reason* reason = why_impossible(plan_.sweep, plan_.sweep.candidates[i]))
        result_.groups[i].reason = reason->text;
  }

  void finish() {
    result_.any_failed =
        std::ranges::any_of(result_.groups, [](auto& group) { return !group.reason.empty(); });
    session_.save(result_.set, !result_.interrupted);
    result_.summary = summarise_repeats(result_.groups, plan_.baseline, offers(), request_.server);
  }

  /// Returns the offers of the catalogs, which are read only where a candidate has no price of its
  /// own.
  std::vector<Offer> offers() const {
    if (std::ranges::all_of(plan_.sweep.candidates,
                            [](auto& one) { return one.price.has_value(); }))
      return {};
    CatalogOffers catalogs = read_catalogs(request_.sweep.offer_files, request_.sweep.own_prices);
    for (const std::string& warning : catalogs.warnings) tools_.listener.warn(warning);
    return std::move(catalogs.offers);
  }

  const FleetRepeatPlan& plan_;
  const FleetRepeatRequest& request_;
  const MeasuringTools& tools_;
  const std::string key_;
  MeasuringSession session_;
  FleetRepeatResult result_;
};

}  // namespace

bool is_fleet_set(const Sweep& set) {
  return set.key.starts_with(kFleetKey);
}

FleetRepeatPlan plan_repeats(FleetRepeatRequest request) {
  SweepRequest& sweep = request.sweep;
  const std::vector<std::string> placeholders = placeholders_of(sweep.probe.context.program);
  const bool has_seed = std::ranges::binary_search(placeholders, kSeedSetting);
  if (sweep.values.contains(kSeedSetting))
    throw Error(ExitCode::usage,
                "--set seed: {seed} becomes the number of the run and takes no values");
  if (has_seed) sweep.values[kSeedSetting] = {"1"};
  sweep.probe.limits.to_the_end = true;
  if (!request.value) request.value = time_of_run;
  FleetRepeatPlan plan{.request = std::move(request), .sweep = {}, .baseline = 0};
  plan.sweep = plan_sweep(plan.request.sweep);
  if (plan.sweep.finds_batch)
    throw Error(ExitCode::usage, "--batch auto is for sweep, which finds the largest that fits");
  refuse_rented(plan.sweep.fleet, "repeat");
  for (RunContext& candidate : plan.sweep.candidates) candidate.settings.erase(kSeedSetting);
  plan.baseline = baseline_of(plan.request.baseline, plan.sweep.candidates);
  if (!plan.request.server.empty()) check_server(plan.request.server, plan.sweep.candidates);
  return plan;
}

FleetRepeatResult run_repeats(const FleetRepeatPlan& plan, const MeasuringTools& tools) {
  return FleetRepeater(plan, tools).run();
}

}  // namespace lapcast
