#include "suite/driver/repeat_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "campaign/campaign.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "probe/ids_and_time.h"
#include "query/sweep_state.h"

namespace lapcast {
namespace {

std::vector<double> values_of(const std::vector<Run>& runs, const RepeatValue& value) {
  std::vector<double> values;
  for (const Run& run : runs)
    if (const auto known = value(run)) values.push_back(*known);
  return values;
}

}  // namespace

RepeatedRuns::RepeatedRuns(RepeatRequest request, const MeasuringTools& tools)
    : request_(std::move(request)), tools_(tools) {
  remove_stale_run_folders_and_cgroups(request_.run_parent);
}

/// Returns a key that tells apart what must not be averaged: programs, settings, machine types,
/// prices and the machine itself. The working folder is not part of it.
std::string RepeatedRuns::key_of(RunContext context) const {
  const std::string machine = context.machine.host + " " + context.machine.cpu_model;
  context.working_dir.clear();
  return fmt::format("runs {} {}", fingerprint({request_for(std::move(context))}), machine);
}

ProbeRequest RepeatedRuns::request_for(RunContext context) const {
  ProbeRequest request = request_.start(std::move(context));
  request.limits.to_the_end = true;
  request.hook = false;  // the suite's programs report by themselves
  return request;
}

ProbeRequest RepeatedRuns::request_of_new_run(RunContext context) const {
  context.id = new_id();
  return request_for(std::move(context));
}

Run RepeatedRuns::once(RunContext context, const std::string& subject) {
  tools_.listener.start(subject, 1, subject);
  Run run;
  CampaignTools tools = tools_.campaign();
  tools.listener.on_run = [&](const Run& ended) { run = ended; };
  run_campaign({request_of_new_run(std::move(context))}, std::move(tools));
  tools_.listener.end();
  return run;
}

/// Runs the program until the set is complete, a run fails or the user interrupts.
void RepeatedRuns::repeat(RunSet& set, const RunContext& context, const RepeatValue& value) {
  CampaignTools tools = tools_.campaign();
  tools.listener.on_run = [&](const Run& run) {
    if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return;
    tools_.listener.show_run(run, set.runs.size() + 1);
    if (value(run)) set.runs.push_back(run);
  };
  std::vector<RepeatedCandidate> one{{request_of_new_run(context), values_of(set.runs, value)}};
  const RepeatsResult result =
      run_repeatedly(std::move(one), request_.rule, 0, value, std::move(tools));
  set.interrupted = result.interrupted;
  set.reason = result.reasons.front();
}

RunSet RepeatedRuns::complete(RunContext context, const std::string& subject,
                              const RepeatValue& value) {
  const std::string key = key_of(context);
  const auto lock = tools_.lock(key, subject);
  if (!lock) return {.id = "", .runs = {}, .reason = "interrupted", .interrupted = true};
  auto [sweep, said] = find_or_begin(tools_.store, {.key = key,
                                                    .fleet_file = "",
                                                    .subject = subject,
                                                    .program = program_content({context}),
                                                    .again = request_.again,
                                                    .keep = request_.keep});
  for (const std::string& line : said) tools_.listener.say(subject + ": " + line);
  context.sweep = sweep.id;
  RunSet set{sweep.id};
  for (Run& run : tools_.store.runs({.sweep = sweep.id, .own = true}))
    if (value(run)) set.runs.push_back(std::move(run));
  const RepeatRule& rule = request_.rule;
  const std::size_t expected = expected_runs(values_of(set.runs, value), rule);
  tools_.listener.start(subject, expected, subject);
  if (!set.runs.empty())
    tools_.listener.say(fmt::format(
        "{}: going on with set {}: {} runs were done{}", subject, sweep.id, set.runs.size(),
        expected <= set.runs.size() ? "; --again begins a new set" : ""));
  repeat(set, context, value);
  tools_.listener.end();
  if (judge_repeats(values_of(set.runs, value), rule) == Repeats::not_precise)
    tools_.listener.say(
        fmt::format("{}: after {} runs, the most, its mean is still not known to {}", subject,
                    set.runs.size(), format_share(rule.precision)));
  if (set.interrupted) set.reason = "interrupted";
  sweep.finished = set.reason.empty();
  tools_.store.save_sweep(sweep);
  return set;
}

}  // namespace lapcast
