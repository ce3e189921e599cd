#include "cli/repeated_runs.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "cli/measuring_lock.h"
#include "core/units.h"
#include "fleet/campaign.h"
#include "fleet/candidates.h"
#include "fleet/found_sweep.h"
#include "fleet/housekeeping.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

std::vector<double> values_of(const std::vector<Run>& runs, const RepeatedRuns::Value& value) {
  std::vector<double> values;
  for (const Run& run : runs)
    if (const auto known = value(run)) values.push_back(*known);
  return values;
}

bool was_interrupted(const Run& run) {
  return std::holds_alternative<outcome::Interrupted>(run.outcome);
}

}  // namespace

void RepeatOptions::add_to(CLI::App& app) {
  app.add_option("--repeats", repeats,
                 "least number of runs; more follow, up to three times as many, until the mean time "
                 "is known to 5 % (95 % interval); 1 = once, without an interval")
      ->check(CLI::Range(std::size_t{1}, std::size_t{10000}))
      ->type_name("N")
      ->capture_default_str();
  auto* anew = app.add_flag("--again", again,
                            "begin a new set instead of going on with the one in the store");
  app.add_flag("--keep", keep, "go on with that set even though the program's files changed")
      ->excludes(anew);
  start.add_end_to(app);
}

RepeatedRuns::RepeatedRuns(const Globals& globals, const RepeatOptions& options, Store& store,
                           Interrupt& interrupt)
    : options_(options),
      store_(store),
      interrupt_(interrupt),
      executor_(interrupt),
      display_(globals.quiet) {
  remove_stale_run_folders_and_cgroups(options.start.run_parent);
}

/// Tells apart what must not be averaged: programs, settings, machine types, prices and the machine
/// itself, but not where the command was given.
std::string RepeatedRuns::key_of(RunContext context) const {
  const std::string machine = context.machine.host + " " + context.machine.cpu_model;
  context.working_dir.clear();
  return fmt::format("runs {} {}", fingerprint({request_for(std::move(context))}), machine);
}

Sweep RepeatedRuns::set_of(const std::string& key, const RunContext& context,
                           const std::string& subject) {
  FoundSweep found = find_or_begin(store_, {.key = key,
                                            .fleet_file = "",
                                            .subject = subject,
                                            .program = program_content({context}),
                                            .again = options_.again,
                                            .keep = options_.keep});
  for (const std::string& line : found.said) display_.say(subject + ": " + line);
  return std::move(found.sweep);
}

RunContext RepeatedRuns::numbered(RunContext context, std::size_t number) const {
  const std::vector<std::string> placeholders = placeholders_of(context.program);
  if (std::find(placeholders.begin(), placeholders.end(), "seed") != placeholders.end())
    context.settings["seed"] = std::to_string(number);
  return context;
}

ProbeRequest RepeatedRuns::request_for(RunContext context) const {
  ProbeRequest request = options_.start.request(std::move(context));
  request.limits.to_the_end = true;
  request.hook = false;  // the suite's programs report by themselves
  return request;
}

Run RepeatedRuns::run_once(RunContext context, std::size_t done, std::size_t expected) {
  context.id = new_id();
  context.start = start_kind(store_, context);
  const ProbeRequest request = request_for(std::move(context));
  Run run;
  CampaignListener listener;
  listener.on_progress = [&](CampaignProgress progress) {
    progress.done = done;
    progress.total = expected;
    if (ran_ > 0)
      progress.eta = spent_ / static_cast<double>(ran_) * static_cast<double>(expected - done);
    display_.show(progress);
  };
  listener.on_run = [&](const Run& ended) { run = ended; };
  run_campaign({request}, executor_, store_, interrupt_, listener);
  spent_ += run.wall();
  ++ran_;
  return run;
}

Run RepeatedRuns::once(RunContext context, const std::string& subject) {
  display_.start(subject, 1, subject);
  spent_ = Seconds{0};
  ran_ = 0;
  Run run = run_once(std::move(context), 0, 1);
  display_.end();
  return run;
}

RunSet RepeatedRuns::complete(RunContext context, const std::string& subject, const Value& value) {
  const std::string key = key_of(context);
  const auto lock = lock_measuring(store_, key, subject, display_, interrupt_);
  if (!lock) return {.id = "", .runs = {}, .reason = "interrupted", .interrupted = true};
  Sweep sweep = set_of(key, context, subject);
  context.sweep = sweep.id;
  RunSet set{sweep.id};
  for (Run& run : store_.runs({.sweep = sweep.id, .own = true}))
    if (value(run)) set.runs.push_back(std::move(run));
  const RepeatRule rule = options_.rule();
  std::size_t expected = expected_runs(values_of(set.runs, value), rule);
  display_.start(subject, expected, subject);
  spent_ = Seconds{0};
  ran_ = 0;
  if (!set.runs.empty())
    display_.say(fmt::format("{}: going on with set {}: {} runs were done{}", subject, sweep.id,
                             set.runs.size(),
                             expected <= set.runs.size() ? "; --again begins a new set" : ""));
  while (judge_repeats(values_of(set.runs, value), rule) == Repeats::more) {
    expected = expected_runs(values_of(set.runs, value), rule);
    if (interrupt_.count() > 0) set.interrupted = true;
    if (set.interrupted) break;
    Run run = run_once(numbered(context, set.runs.size() + 1), set.runs.size(), expected);
    set.interrupted = was_interrupted(run);
    if (set.interrupted) break;
    display_.show_run(run, set.runs.size() + 1);
    if (const auto known = value(run); !known) {
      set.reason = known.error().text;
      break;
    }
    set.runs.push_back(std::move(run));
  }
  display_.end();
  if (judge_repeats(values_of(set.runs, value), rule) == Repeats::not_precise)
    display_.say(fmt::format("{}: after {} runs, the most, its mean is still not known to {}",
                             subject, set.runs.size(), format_share(rule.precision)));
  if (set.interrupted) set.reason = "interrupted";
  sweep.finished = set.reason.empty();
  store_.save_sweep(sweep);
  return set;
}

}  // namespace lapcast
