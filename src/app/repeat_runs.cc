#include "app/repeat_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>
#include <variant>

#include "core/units.h"
#include "fleet/campaign.h"
#include "fleet/candidates.h"
#include "fleet/sweep_state.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

std::vector<double> values_of(const std::vector<Run>& runs, const RepeatedRuns::Value& value) {
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
/// prices and the machine itself. The working folder is no part of it.
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

void RepeatedRuns::start_stage(const std::string& subject, std::size_t runs) {
  tools_.listener.start(subject, runs, subject);
  times_.clear();
}

Run RepeatedRuns::run_once(RunContext context, std::size_t done, std::size_t expected) {
  context.id = new_id();
  context.start = start_kind(tools_.store, context);
  Run run;
  CampaignListener listener;
  listener.on_progress = [&](CampaignProgress progress) {
    progress.done = done;
    progress.total = expected;
    if (!times_.empty())
      progress.eta = std::reduce(times_.begin(), times_.end()) /
                     static_cast<double>(times_.size()) * static_cast<double>(expected - done);
    tools_.listener.show(progress);
  };
  listener.on_run = [&](const Run& ended) { run = ended; };
  run_campaign({request_for(std::move(context))}, tools_.executor, tools_.store, tools_.interrupt,
               listener);
  times_.push_back(run.wall());
  return run;
}

Run RepeatedRuns::once(RunContext context, const std::string& subject) {
  start_stage(subject, 1);
  Run run = run_once(std::move(context), 0, 1);
  tools_.listener.end();
  return run;
}

/// Runs the program until the set is complete, a run fails or the user interrupts.
void RepeatedRuns::repeat(RunSet& set, const RunContext& context, const Value& value) {
  const auto values = [&] { return values_of(set.runs, value); };
  while (judge_repeats(values(), request_.rule) == Repeats::more) {
    set.interrupted = tools_.interrupt.count() > 0;
    if (set.interrupted) return;
    const std::size_t done = set.runs.size();
    Run run = run_once(with_seed(context, done + 1), done, expected_runs(values(), request_.rule));
    set.interrupted = std::holds_alternative<outcome::Interrupted>(run.outcome);
    if (set.interrupted) return;
    tools_.listener.show_run(run, done + 1);
    if (const auto known = value(run); !known) {
      set.reason = known.error().text;
      return;
    }
    set.runs.push_back(std::move(run));
  }
}

RunSet RepeatedRuns::complete(RunContext context, const std::string& subject, const Value& value) {
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
  start_stage(subject, expected);
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
