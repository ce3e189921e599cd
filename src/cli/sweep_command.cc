#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <random>
#include <set>

#include "choose/assessment.h"
#include "cli/campaign_display.h"
#include "cli/commands.h"
#include "cli/probe_options.h"
#include "cli/selection.h"
#include "core/units.h"
#include "fleet/campaign.h"
#include "fleet/candidates.h"
#include "fleet/fleet_file.h"
#include "fleet/housekeeping.h"
#include "probe/child_process.h"
#include "probe/fresh.h"
#include "report/sweep_report.h"

namespace lapcast {
namespace {

constexpr const char* kFooter = R"(
Examples:
  lapcast sweep fleet.toml -- ./train --data mnist
  lapcast sweep fleet.toml --batch 128,512 -- ./train --batch {batch}
  lapcast sweep fleet.toml --set batch=64,128 --set lr=0.1,0.01 -- ./train -b {batch} --lr {lr}
  lapcast sweep fleet.toml --batch 128,512 --find-epochs -- ./train --epochs 100 --batch {batch}

Every machine type of the fleet file (docs/fleet-file.md) is probed with every combination of the
placeholders, in random order, types that share CPUs one after another. After Ctrl-C, a crash or a
power cut the same command goes on where it was. --find-epochs first trains each combination once,
on the cheapest machine type, until --metric has not improved for --patience epochs, and keeps the
number of epochs and the accuracy: then `lapcast rank` compares batch sizes at their own numbers.)";

struct Options {
  std::string fleet_file;
  std::string batch;
  std::vector<std::string> settings;
  ProbeOptions probe;
  bool find_epochs = false;
  int patience = 5;
  std::string metric = "val_accuracy";
  std::size_t confirm = 0;
  bool again = false;
  bool retry_failed = false;
};

PlaceholderValues values_of(const Options& options, const Fleet& fleet,
                            const std::vector<std::string>& program) {
  PlaceholderValues given;
  if (!options.batch.empty()) given.insert(parse_setting("batch=" + options.batch));
  for (const std::string& setting : options.settings)
    if (!given.insert(parse_setting(setting)).second)
      throw Error(ExitCode::usage, fmt::format("{} is given twice", printable(setting)));
  for (const std::string& name : placeholders_of(program))
    if (const auto in_file = fleet.settings.find(name); in_file != fleet.settings.end())
      given.insert(*in_file);
  return given;
}

/// The sweep of this command: the unfinished or finished one of the same key, else a new one.
Sweep find_or_start(Store& store, const std::string& key, const Options& options) {
  if (!options.again)
    if (const auto known = store.sweep_by_key(key)) return *known;
  Sweep sweep{new_id(), key, utc_now(), options.fleet_file, {}, false};
  store.save_sweep(sweep);
  return sweep;
}

/// What has to run no more: finished candidates of this sweep, failed ones unless they are retried.
std::set<std::string> finished_candidates(const std::vector<Run>& runs, RunKind kind,
                                          bool retry_failed) {
  std::set<std::string> done;
  for (const Run& run : runs) {
    const bool interrupted = std::holds_alternative<outcome::Interrupted>(run.outcome);
    if (run.context.kind != kind || interrupted) continue;
    if (has_laps(run.outcome) || !retry_failed) done.insert(candidate_name(run.context));
  }
  return done;
}

/// The requests that are left, in an order that depends on the sweep's id only.
std::vector<ProbeRequest> remaining(const std::vector<RunContext>& candidates, const Sweep& sweep,
                                    const std::set<std::string>& done,
                                    const std::function<ProbeRequest(RunContext)>& request) {
  std::vector<RunContext> order = candidates;
  std::mt19937_64 generator(std::stoull(sweep.id, nullptr, 16));
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[generator() % i]);
  std::vector<ProbeRequest> requests;
  for (RunContext& context : order) {
    if (done.contains(candidate_name(context))) continue;
    context.id = new_id();
    context.sweep = sweep.id;
    requests.push_back(request(std::move(context)));
  }
  return requests;
}

/// Machine types of the fleet that cannot run here, with the reason. Error when none can.
std::map<std::string, Reason> impossible_types(const Fleet& fleet,
                                               const MachineDescription& machine) {
  std::map<std::string, Reason> reasons;
  for (const FleetMachine& entry : fleet.machines)
    if (const auto reason = cannot_run_here(entry, machine)) reasons[entry.type.name] = *reason;
  if (reasons.size() == fleet.machines.size())
    throw Error(ExitCode::bad_input,
                fmt::format("no machine type of the fleet can run on this machine; {}: {}",
                            printable(reasons.begin()->first), reasons.begin()->second.text));
  return reasons;
}

/// Takes the candidates that cannot run here out of the requests and stores them as rows with their
/// reason.
void store_impossible(std::vector<ProbeRequest>& requests,
                      const std::map<std::string, Reason>& impossible, Store& store) {
  std::erase_if(requests, [&](const ProbeRequest& request) {
    const auto reason = impossible.find(request.context.machine_type.name);
    if (reason == impossible.end()) return false;
    Run run;
    run.context = request.context;
    run.context.started_at = utc_now();
    run.outcome = outcome::NotStarted{reason->second.text};
    store.add(run);
    return true;
  });
}

/// Candidates on machine types that can run here.
std::vector<RunContext> possible_ones(std::vector<RunContext> candidates,
                                      const std::map<std::string, Reason>& impossible) {
  std::erase_if(candidates, [&](const RunContext& candidate) {
    return impossible.contains(candidate.machine_type.name);
  });
  return candidates;
}

/// What holds of each candidate: its newest run of a kind, an interrupted one only when there is no
/// other.
std::vector<Run> newest_of_each(std::vector<Run> runs) {
  std::map<std::pair<RunKind, std::string>, std::size_t> newest;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool interrupted = std::holds_alternative<outcome::Interrupted>(runs[i].outcome);
    const auto [entry, is_new] =
        newest.try_emplace({runs[i].context.kind, candidate_name(runs[i].context)}, i);
    if (!is_new && !interrupted) entry->second = i;
  }
  std::vector<Run> result;
  for (const auto& [candidate, index] : newest) result.push_back(std::move(runs[index]));
  return result;
}

/// The first so many by forecast time and by forecast cost, as far as they were probed once only.
std::vector<RunContext> to_confirm(const std::vector<Run>& runs, std::size_t count) {
  struct Probed {
    const Run* run;
    Seconds time;
    Money cost;
  };
  std::map<std::string, int> probes;
  std::vector<Probed> probed;
  for (const Run& run : runs) {
    if (run.context.kind != RunKind::probe) continue;
    const Assessment assessment = assess(run);
    if (!assessment.forecast || ++probes[candidate_name(run.context)] > 1) continue;
    const Interval<Seconds>& total = assessment.forecast->total;
    const bool priced = run.context.price.has_value();
    probed.push_back({&run, total.mid, priced ? quote(*run.context.price, total).total.mid : Money()});
  }
  std::map<std::string, RunContext> chosen;
  const auto take = [&](auto before) {
    std::stable_sort(probed.begin(), probed.end(), before);
    for (std::size_t i = 0; i < std::min(count, probed.size()); ++i) {
      const RunContext& context = probed[i].run->context;
      if (probes[candidate_name(context)] == 1) chosen[candidate_name(context)] = context;
    }
  };
  take([](const Probed& a, const Probed& b) { return a.time < b.time; });
  take([](const Probed& a, const Probed& b) { return a.cost < b.cost; });
  std::vector<RunContext> result;
  for (auto& [name, context] : chosen) result.push_back(std::move(context));
  return result;
}

ExitCode sweep(const Globals& globals, const Options& options) {
  const std::vector<std::string>& program = program_of(globals, "sweep FLEET.toml");
  const Fleet fleet = parse_fleet(read_file(options.fleet_file, "fleet file"), options.fleet_file);
  RunContext common = common_context(program, options.probe.plan);
  const std::vector<RunContext> candidates =
      candidates_of(fleet, values_of(options, fleet, program), common);
  if (const auto found = find_program(program[0]); !found)
    throw Error(ExitCode::program_failed, found.error().text);
  static_cast<void>(options.probe.limits());  // refuses bad limits before anything is measured
  const std::map<std::string, Reason> impossible = impossible_types(fleet, common.machine);

  Store store = globals.open_store();
  Interrupt interrupt;
  remove_stale_run_folders_and_cgroups(options.probe.run_parent);
  const Sweep sweep = find_or_start(store, fingerprint(candidates), options);
  const std::vector<Run> earlier = store.runs({.sweep = sweep.id});
  LocalExecutor executor(interrupt);
  CampaignDisplay display(globals.quiet);
  StartKind start = start_kind(store, common);

  CampaignResult result;
  if (options.find_epochs) {
    const auto to_the_end = [&](RunContext context) {
      context.kind = RunKind::find_epochs;
      context.patience = options.patience;
      context.metric = options.metric;
      ProbeRequest request = options.probe.request(std::move(context));
      request.limits.to_the_end = true;
      return request;
    };
    const auto done = finished_candidates(earlier, RunKind::find_epochs, options.retry_failed);
    const auto requests = remaining(on_cheapest_machine(possible_ones(candidates, impossible)),
                                    sweep, done, to_the_end);
    display.start("finding the number of epochs", requests.size());
    result = run_campaign(requests, executor, store, interrupt, display.listener());
  }
  if (!result.interrupted) {
    const auto probe = [&](RunContext context) { return options.probe.request(std::move(context)); };
    const auto done = finished_candidates(earlier, RunKind::probe, options.retry_failed);
    auto requests = remaining(candidates, sweep, done, probe);
    store_impossible(requests, impossible, store);
    if (!requests.empty()) requests.front().context.start = start;
    if (!done.empty())
      display.say(fmt::format("going on with sweep {}: {} of {} probes were done{}", sweep.id,
                              done.size(), candidates.size(),
                              requests.empty() ? "; --again measures all anew" : ""));
    display.start("probing", requests.size());
    result = run_campaign(requests, executor, store, interrupt, display.listener());
  }
  if (!result.interrupted && options.confirm > 0) {
    const auto again = [&](RunContext context) {
      context.start = StartKind::warm;
      return options.probe.request(std::move(context));
    };
    const auto contenders = to_confirm(store.runs({.sweep = sweep.id}), options.confirm);
    const auto requests = remaining(contenders, sweep, {}, again);
    display.start("confirming", requests.size());
    result = run_campaign(requests, executor, store, interrupt, display.listener());
  }
  display.end();

  Sweep state = sweep;
  state.finished = !result.interrupted;
  store.save_sweep(state);
  const std::vector<Run> runs = newest_of_each(store.runs({.sweep = sweep.id}));
  print(globals, {sweep_table(runs)});
  if (result.interrupted) {
    fmt::print(stderr, "lapcast: interrupted; the same command{} goes on where it was\n",
               options.again ? " without --again" : "");
    return ExitCode::interrupted;
  }
  const bool any_failed = std::any_of(runs.begin(), runs.end(),
                                      [](const Run& run) { return !has_laps(run.outcome); });
  return any_failed ? ExitCode::some_failed : ExitCode::ok;
}

}  // namespace

void add_sweep(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand(
      "sweep", "probe a program on every machine type and with every setting");
  command->add_option("FLEET.toml", options->fleet_file, "machine types and their prices")
      ->required();
  command->add_option("--batch", options->batch, "values of {batch}: the same as --set batch=...")
      ->type_name("N,N");
  command->add_option("--set", options->settings, "values of a placeholder: lr=0.1,0.01")
      ->type_name("NAME=V,V")
      ->take_all();
  options->probe.add_plan_to(*command);
  options->probe.add_limits_to(*command);
  command->add_flag("--find-epochs", options->find_epochs,
                    "first train each setting once until it stops improving");
  command->add_option("--patience", options->patience, "epochs without improvement, for that")
      ->check(CLI::Range(1, 1000000))
      ->type_name("N")
      ->capture_default_str();
  command->add_option("--metric", options->metric, "reported metric that has to improve")
      ->type_name("NAME")
      ->capture_default_str();
  command->add_option("--confirm", options->confirm,
                      "probe the first so many by cost and by time once more, at another moment; "
                      "the shorter forecast counts: other work only ever slows a run")
      ->type_name("N");
  command->add_flag("--again", options->again, "measure all anew, even if this sweep is finished");
  command->add_flag("--retry-failed", options->retry_failed, "probe failed candidates once more");
  command->footer(kFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return sweep(globals, *options); }, true};
  });
}

}  // namespace lapcast
