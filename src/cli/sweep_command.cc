#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <set>

#include "cli/campaign_display.h"
#include "cli/commands.h"
#include "cli/console.h"
#include "cli/earlier_runs.h"
#include "cli/measuring_lock.h"
#include "cli/probe_options.h"
#include "cli/race_options.h"
#include "cli/selection.h"
#include "core/units.h"
#include "fleet/campaign.h"
#include "fleet/candidates.h"
#include "fleet/fleet_file.h"
#include "fleet/found_sweep.h"
#include "fleet/housekeeping.h"
#include "fleet/sweep_state.h"
#include "posix/program_file.h"
#include "probe/ids_and_time.h"
#include "report/race_report.h"
#include "report/sweep_report.h"

namespace lapcast {
namespace {

constexpr const char* kSweepFooter = R"(
Examples:
  lapcast sweep fleet.toml -- ./train --data mnist
  lapcast sweep fleet.toml --batch 128,512 -- ./train --batch {batch}
  lapcast sweep fleet.toml --set batch=64,128 --set lr=0.1,0.01 -- ./train -b {batch} --lr {lr}
  lapcast sweep fleet.toml --batch 128,512 --find-epochs -- ./train --epochs 100 --batch {batch}
  lapcast sweep fleet.toml --race -- ./train
  lapcast sweep fleet.toml --race --by cost --search-budget 2USD -- ./train

Every machine type of the fleet file (docs/fleet-file.md) is probed with every combination of the
placeholders, in random order, types that share CPUs one after another. After Ctrl-C, a crash or a
power cut the same command goes on where it was; where the program's own files changed it measures
anew, and names them. --find-epochs first trains each combination once,
on the cheapest machine type, until --metric has not improved for --patience epochs, and keeps the
number of epochs and the accuracy: then `lapcast rank` compares batch sizes at their own numbers.

--race spends less: it probes in rounds of growing length, suspends candidates in between, and stops
those that can no longer be the cheapest, the fastest or between them, each with the reason. It says
what it cost, what plain probes would have cost, and the chance that a pick is wrong. Batch sizes
race apart, unless --find-epochs was used or --same-epochs is given.)";

struct SweepArguments {
  std::string fleet_file;
  std::string batch;
  std::vector<std::string> settings;
  ProbeOptions probe;
  bool find_epochs = false;
  int patience = 5;
  std::string metric = "val_accuracy";
  std::size_t confirm = 0;
  bool again = false;
  bool keep = false;
  bool retry_failed = false;
  RaceOptions race;
};

PlaceholderValues values_of(const SweepArguments& options, const Fleet& fleet,
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

/// Machine types of the fleet on this machine that cannot run here, with the reason. Error when
/// that is the whole fleet.
std::map<std::string, Reason> impossible_types(const Fleet& fleet,
                                               const MachineDescription& machine) {
  std::map<std::string, Reason> reasons;
  for (const FleetMachine& entry : fleet.machines)
    if (is_here(entry.site.place))
      if (const auto reason = cannot_run_here(entry, machine)) reasons[entry.type.name] = *reason;
  if (reasons.size() == fleet.machines.size())
    throw Error(ExitCode::bad_input,
                fmt::format("no machine type of the fleet can run on this machine; {}: {}",
                            printable(reasons.begin()->first), reasons.begin()->second.text));
  return reasons;
}

/// A program that some machine of the fleet starts here must be here.
void check_program(const Fleet& fleet, const std::string& name) {
  const bool any_here =
      std::any_of(fleet.machines.begin(), fleet.machines.end(),
                  [](const FleetMachine& machine) { return is_here(machine.site.place); });
  if (!any_here) return;
  if (const auto found = find_program(name); !found)
    throw Error(ExitCode::program_failed, found.error().text);
}

/// One sweep from what was done of it to its table: epochs found, probed, confirmed.
class SweepRun {
 public:
  SweepRun(const Globals& globals, const SweepArguments& options)
      : globals_(globals),
        options_(options),
        program_(program_of(globals, "sweep FLEET.toml")),
        written_(read_fleet_file(options.fleet_file)),
        fleet_(with_nodes(written_)),
        common_(common_context(program_, options.probe.plan)),
        candidates_(candidates_of(fleet_, values_of(options, fleet_, program_), common_)),
        display_(globals.quiet) {
    check_program(fleet_, program_[0]);
    static_cast<void>(options.probe.limits());  // refuses bad limits before anything is measured
    if (options.race.race) race_order_ = options.race.order();
    impossible_ = impossible_types(fleet_, common_.machine);
  }

  ExitCode run() {
    store_.emplace(globals_.open_store());
    remove_stale_run_folders_and_cgroups(options_.probe.run_parent);
    const std::string key = this->key();
    const auto known = store_->sweeps_by_key(key);
    const std::string what =
        known.empty() ? "this sweep" : fmt::format("sweep {}", known.back().id);
    const auto lock = lock_measuring(*store_, key, what, display_, interrupt_);
    if (!lock) throw Error(ExitCode::interrupted, "interrupted; nothing was measured");
    remove_leftovers(*store_, executor_);
    find_sweep(key);
    earlier_ = own_runs();
    if (options_.find_epochs) find_epochs();
    if (!interrupted_ && options_.race.race) return race();
    if (!interrupted_) probe();
    if (!interrupted_ && options_.confirm > 0) confirm();
    display_.end();
    return finish();
  }

 private:
  /// Covers all that can change the results; not what only says how much is measured: --confirm,
  /// --retry-failed, --search-budget.
  std::string key() const {
    std::vector<ProbeRequest> probes;
    std::map<std::string, std::string> more;
    // As the file says: the nodes of a cluster that are up come and go while a sweep goes on.
    for (RunContext& context :
         candidates_of(written_, values_of(options_, written_, program_), common_)) {
      ProbeRequest& probe = probes.emplace_back(options_.probe.request(std::move(context)));
      probe.site = site_of(written_, probe.context.machine_type.name);
    }
    for (const FleetMachine& machine : written_.machines)
      if (machine.every_node_type) more["every_node_type " + machine.type.name] = "true";
    if (options_.find_epochs)
      more["find_epochs"] = fmt::format("{} {}", options_.patience, options_.metric);
    // A race leaves probes that a plain sweep would not count as done.
    if (options_.race.race)
      more["race"] = fmt::format("{} {} {}", options_.race.by, race_order_.confidence,
                                 race_order_.same_epochs);
    const std::string plain = fingerprint(probes, more);
    return options_.race.race ? fmt::format("{}-race-{}", plain, options_.race.by) : plain;
  }

  void find_sweep(const std::string& key) {
    FoundSweep found = find_or_begin(*store_, {.key = key,
                                               .fleet_file = options_.fleet_file,
                                               .program = program_content(candidates_),
                                               .again = options_.again,
                                               .keep = options_.keep});
    sweep_ = std::move(found.sweep);
    for (const std::string& line : found.said) display_.say(line);
  }

  /// Runs of this sweep that were measured here: an import may name any sweep.
  std::vector<Run> own_runs() const { return store_->runs({.sweep = sweep_.id, .own = true}); }

  ProbeRequest request(RunContext context) const {
    ProbeRequest request = options_.probe.request(std::move(context));
    request.site = site_of(fleet_, request.context.machine_type.name);
    return request;
  }

  std::vector<ProbeRequest> left(const std::vector<RunContext>& candidates, RunKind kind,
                                 const std::function<ProbeRequest(RunContext)>& request) const {
    const auto done = finished_candidates(earlier_, kind, options_.retry_failed);
    return remaining(candidates, sweep_, done, store_->pending_runs(), request);
  }

  void run_all(const std::string& what, const std::vector<ProbeRequest>& requests) {
    display_.start(what, requests.size());
    interrupted_ =
        run_campaign(requests, executor_, *store_, interrupt_, display_.listener()).interrupted;
  }

  void find_epochs() {
    const auto to_the_end = [&](RunContext context) {
      context.kind = RunKind::find_epochs;
      context.patience = options_.patience;
      context.metric = options_.metric;
      ProbeRequest whole = request(std::move(context));
      whole.limits.to_the_end = true;
      return whole;
    };
    run_all("finding the number of epochs",
            left(on_cheapest_machine(possible_ones()), RunKind::find_epochs, to_the_end));
  }

  void probe() {
    auto requests =
        left(candidates_, RunKind::probe, [&](RunContext context) { return request(context); });
    const std::size_t done = candidates_.size() - requests.size();
    store_impossible(requests);
    const auto here = std::find_if(requests.begin(), requests.end(),
                                   [](const auto& request) { return is_here(request.site.place); });
    if (here != requests.end()) here->context.start = start_kind(*store_, common_);
    if (done > 0)
      display_.say(fmt::format("going on with sweep {}: {} of {} probes were done{}", sweep_.id,
                               done, candidates_.size(),
                               requests.empty() ? "; --again measures all anew" : ""));
    run_all("probing", requests);
  }

  void confirm() {
    const auto again = [&](RunContext context) {
      context.start = StartKind::warm;
      return request(std::move(context));
    };
    const auto contenders = to_confirm(candidates_, own_runs(), options_.confirm);
    run_all("confirming", remaining(contenders, sweep_, {}, store_->pending_runs(), again));
  }

  // The race
  // ---------------------------------------------------------------------------------------

  ExitCode race() {
    const RaceOrder order = race_order();
    auto requests = remaining(candidates_, sweep_, stored_as_impossible(), store_->pending_runs(),
                              [&](RunContext context) { return request(context); });
    store_impossible(requests);
    const RunAssessor assessor = race_assessor(requests);
    if (order.finished)
      display_.say(fmt::format("race {} is finished; --again measures all anew", sweep_.id));
    display_.start("racing", requests.size());
    const RaceResult result = run_race(std::move(requests), order, earlier_, assessor, executor_,
                                       *store_, interrupt_, display_.listener());
    interrupted_ = result.interrupted;
    display_.end();
    print_race(result, order, assessor);
    if (interrupted_) return finish_interrupted();
    sweep_.finished = !result.budget_spent;
    store_->save_sweep(sweep_);
    const bool any_failed =
        !impossible_.empty() ||
        std::any_of(result.rows.begin(), result.rows.end(),
                    [](const auto& row) { return row.standing.state == RaceState::failed; });
    return any_failed ? ExitCode::some_failed : ExitCode::ok;
  }

  /// With epochs that were learned for each setting, settings can be compared at their own.
  RaceOrder race_order() const {
    RaceOrder order = race_order_;
    order.retry_failed = options_.retry_failed;
    order.finished = sweep_.finished && !options_.retry_failed;
    order.same_epochs = order.same_epochs || options_.find_epochs;
    return order;
  }

  std::set<std::string> stored_as_impossible() const {
    std::set<std::string> names;
    for (const Run& run : earlier_)
      if (impossible_.contains(run.context.machine_type.name))
        names.insert(candidate_name(run.context));
    return names;
  }

  /// Forecasts at the learned numbers of epochs, and as earlier finished runs of the program say.
  RunAssessor race_assessor(const std::vector<ProbeRequest>& requests) const {
    const std::vector<Run> known = own_runs();
    Run like_all;
    if (!requests.empty()) like_all.context = requests.front().context;
    const Run* one = &like_all;
    return [learned = learned_epochs(known),
            record = EarlierRuns{}.of(*store_, {&one, 1})](const Run& run) {
      RequestedPlan asked;
      const auto own = learned.find(run.context.settings);
      if (own != learned.end()) asked.epochs = own->second.epochs;
      Assessment assessment = assess(run, asked);
      const ObservedPart seen = seen_of(assessment);
      return with_track_record(std::move(assessment), run, seen, record);
    };
  }

  void print_race(const RaceResult& result, const RaceOrder& order, const RunAssessor& assessor) {
    std::vector<Assessment> assessments;
    for (const RaceRow& row : result.rows) assessments.push_back(assessor(row.run.value_or(Run{})));
    const ProbeLimits limits = options_.probe.limits();
    std::vector<Run> probes = own_runs();
    std::erase_if(probes, [](const Run& run) { return run.context.kind != RunKind::probe; });
    const RaceBill bill{
        cost_of_runs(probes),
        cost_of_plain_probes(result.rows, assessments, limits.precision, limits.budget),
        cost_of_everything(result.rows, assessments)};
    const auto picks = picks_of(result.rows, assessments, order.goal);
    auto tables = race_tables(result.rows, assessments, picks, bill, order.confidence);
    if (result.budget_spent)
      tables.front().notes.push_back(
          "the search budget is spent; the same command with a larger one goes on");
    for (const auto& [name, reason] : impossible_)
      tables.front().notes.push_back(
          fmt::format("{} cannot run: {}", printable(name), reason.text));
    print(globals_, tables);
  }

  /// Candidates on machine types that can run.
  std::vector<RunContext> possible_ones() const {
    std::vector<RunContext> candidates = candidates_;
    std::erase_if(candidates, [&](const RunContext& candidate) {
      return impossible_.contains(candidate.machine_type.name);
    });
    return candidates;
  }

  /// Takes the candidates that cannot run here out of the requests and stores them as rows with
  /// their reason.
  void store_impossible(std::vector<ProbeRequest>& requests) {
    std::erase_if(requests, [&](const ProbeRequest& request) {
      const auto reason = impossible_.find(request.context.machine_type.name);
      if (reason == impossible_.end()) return false;
      Run run;
      run.context = request.context;
      run.context.started_at = utc_now();
      run.outcome = outcome::NotStarted{reason->second.text};
      store_->add(run);
      return true;
    });
  }

  ExitCode finish_interrupted() const {
    say("interrupted; the same command{} goes on where it was",
        options_.again ? " without --again" : "");
    return ExitCode::interrupted;
  }

  ExitCode finish() {
    sweep_.finished = !interrupted_;
    store_->save_sweep(sweep_);
    const std::vector<Run> runs = newest_of_each(own_runs());
    print(globals_, {sweep_table(runs)});
    if (interrupted_) return finish_interrupted();
    const bool any_failed = std::any_of(runs.begin(), runs.end(),
                                        [](const Run& run) { return !has_laps(run.outcome); });
    return any_failed ? ExitCode::some_failed : ExitCode::ok;
  }

  const Globals& globals_;
  const SweepArguments& options_;
  const std::vector<std::string>& program_;
  Fleet written_;
  Fleet fleet_;
  RunContext common_;
  std::vector<RunContext> candidates_;
  std::map<std::string, Reason> impossible_;  // by machine type
  CampaignDisplay display_;
  Interrupt interrupt_;
  WorkerExecutor executor_{interrupt_};
  std::optional<Store> store_;
  Sweep sweep_;
  std::vector<Run> earlier_;
  RaceOrder race_order_;
  bool interrupted_ = false;
};

}  // namespace

void add_sweep(CLI::App& app, Globals& globals, Action& action) {
  auto options = std::make_shared<SweepArguments>();
  CLI::App* command =
      app.add_subcommand("sweep", "probe a program on every machine type and with every setting");
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
  options->race.add_to(*command);
  command
      ->add_option("--confirm", options->confirm,
                   "probe the first so many by cost and by time once more, at another moment; "
                   "the shorter forecast counts: other work only ever slows a run")
      ->type_name("N")
      ->excludes("--race");
  auto* again = command->add_flag("--again", options->again,
                                  "measure all anew, even if this sweep is finished");
  command
      ->add_flag("--keep", options->keep,
                 "go on with what was measured, even though the program's files changed")
      ->excludes(again);
  command->add_flag("--retry-failed", options->retry_failed, "probe failed candidates once more");
  command->footer(kSweepFooter);
  command->callback([&globals, &action, options] {
    action = {[&globals, options] { return SweepRun(globals, *options).run(); }, true};
  });
}

}  // namespace lapcast
