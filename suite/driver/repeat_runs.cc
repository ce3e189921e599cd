#include "suite/driver/repeat_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "campaign/campaign.h"
#include "campaign/measuring_session.h"
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
    : request_(std::move(request)), tools_(tools) {}

/// Returns a key that separates what must not be averaged: programs, settings, machine types,
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
  remove_stale_run_folders_and_cgroups(request_.run_parent);
  tools_.listener.start({.what = subject, .runs = 1, .subject = subject});
  Run run;
  CampaignTools tools = tools_.campaign();
  tools.listener.on_run = [&](const Run& ended) { run = ended; };
  run_campaign({request_of_new_run(std::move(context))}, std::move(tools));
  tools_.listener.end();
  return run;
}

RunSet RepeatedRuns::complete(RunContext context, const std::string& subject,
                              const RepeatValue& value) {
  const std::string key = key_of(context);
  auto lock = tools_.lock(key, subject);
  if (!lock) return {.id = "", .runs = {}, .reason = "interrupted", .interrupted = true};
  MeasuringSession session(tools_, std::move(lock), request_.run_parent);
  Sweep sweep = session.begin({.key = key,
                               .fleet_file = "",
                               .subject = subject,
                               .program = program_content({context}),
                               .again = request_.again,
                               .keep = request_.keep},
                              subject);
  context.sweep = sweep.id;
  const RepeatRule& rule = request_.rule;
  const auto finished = [&] {
    std::vector<Run> runs = session.runs_of(sweep);
    std::erase_if(runs, [&](const Run& run) { return !value(run); });
    return runs;
  };
  const RepeatsResult result = session.repeat(
      subject, {{request_of_new_run(std::move(context)), values_of(finished(), value)}}, rule, 0,
      value, subject);
  RunSet set{sweep.id, finished(), result.interrupted ? "interrupted" : result.reasons.front(),
             result.interrupted};
  if (judge_repeats(values_of(set.runs, value), rule) == Repeats::not_precise)
    session.say(fmt::format("{}: after {} runs, the most, its mean is still not known to {}",
                            subject, set.runs.size(), format_share(rule.precision)));
  session.save(sweep, set.reason.empty());
  return set;
}

}  // namespace lapcast
