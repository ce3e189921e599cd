#include "campaign/sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "campaign/batch_tries.h"
#include "campaign/campaign.h"
#include "campaign/measuring_session.h"
#include "fleet/candidates.h"
#include "fleet/worker_gpus.h"
#include "query/forecast_run.h"
#include "query/rank_notes.h"
#include "query/sweep_state.h"

namespace lapcast {
namespace {

/// Runs what is left of one sweep, and returns its result.
class SweepRunner {
 public:
  SweepRunner(const SweepPlan& plan, const MeasuringTools& tools)
      : plan_(plan),
        request_(plan.request),
        tools_(tools),
        store_(tools.store),
        key_(key_of(plan)),
        session_(tools, tools.lock(key_, name_in_messages()), plan.request.probe.run_parent) {}

  SweepResult run() {
    sweep_ = session_.begin(
        {.key = key_,
         .former_key = key_of(plan_, true),
         .fleet_file = request_.fleet_file.empty() ? kNoFleetFile : request_.fleet_file,
         .folder = request_.probe.context.working_dir,
         .name = request_.name,
         .program = program_content(plan_.candidates),
         .typed = request_.typed,
         .again = request_.again,
         .keep = request_.keep});
    earlier_ = own_runs();
    const bool needs_machines_again = request_.find_epochs.has_value() || request_.confirm > 0;
    if (tools_.supply != nullptr) tools_.supply->begin(sweep_.id, needs_machines_again);
    if (plan_.finds_batch)
      find_batches();  // those that fit are trained and confirmed
    else
      candidates_ = possible_candidates();
    if (!session_.was_interrupted() && request_.find_epochs) find_epochs();
    if (!session_.was_interrupted() && request_.race) {
      race();
    } else {
      if (!session_.was_interrupted() && !plan_.finds_batch) probe();
      if (!session_.was_interrupted() && request_.confirm > 0) confirm();
      finish();
    }
    if (tools_.supply != nullptr) tools_.supply->finish();
    result_.interrupted = session_.was_interrupted();
    result_.sweep = sweep_;
    return std::move(result_);
  }

 private:
  /// Returns the runs of the sweep, at the prices that its candidates have now.
  std::vector<Run> own_runs() const {
    std::map<std::string, const FleetMachine*> now;
    for (const FleetMachine& machine : plan_.fleet.machines) now[machine.type.name] = &machine;
    std::vector<Run> runs = session_.runs_of(sweep_);
    for (Run& run : runs)
      if (const auto known = now.find(run.context.machine_type.name); known != now.end())
        take_price(*known->second, run.context.settings, run.context);
    return runs;
  }

  std::string name_in_messages() const {
    const auto known = store_.sweeps_by_key(key_);
    return known.empty() ? "this sweep" : fmt::format("sweep {}", known.back().id);
  }

  /// Returns a function that forecasts a run for the number of epochs that was learned for its
  /// settings.
  RunAssessor forecaster() const {
    const RunFilter learned{.sweep = sweep_.id, .kind = RunKind::find_epochs, .own = true};
    return [learned = learned_epochs(store_.runs(learned)),
            forecaster = std::make_shared<RunForecaster>(store_)](const Run& run) {
      return forecaster->forecast(run, with_learned_epochs({}, run, learned));
    };
  }

  ProbeRequest probe_for(RunContext context) const {
    return probe_of(request_, plan_.fleet, std::move(context));
  }

  /// Returns the probes of the candidates that are not done, in the order of the sweep.
  std::vector<ProbeRequest> left(const std::vector<RunContext>& candidates,
                                 const std::set<std::string>& done,
                                 const std::function<ProbeRequest(RunContext)>& make) const {
    return remaining(candidates, sweep_, done, store_.pending_runs(), make);
  }

  std::vector<ProbeRequest> left(const std::set<std::string>& done) const {
    return left(plan_.candidates, done,
                [this](RunContext context) { return probe_for(std::move(context)); });
  }

  std::set<std::string> done_of(RunKind kind) const {
    return finished_candidates(earlier_, kind, request_.retry_failed);
  }

  std::vector<RunContext> possible_candidates() const {
    std::vector<RunContext> possible = plan_.candidates;
    std::erase_if(possible, [&](const RunContext& candidate) {
      return why_impossible(plan_, candidate) != nullptr;
    });
    return possible;
  }

  void find_epochs() {
    const auto to_the_end = [&](RunContext context) {
      context.kind = RunKind::find_epochs;
      context.patience = request_.find_epochs->patience;
      context.metric = request_.find_epochs->metric;
      ProbeRequest whole = probe_for(std::move(context));
      whole.limits.to_the_end = true;
      return whole;
    };
    session_.run("finding the number of epochs", left(trainings_left(), {}, to_the_end), 1,
                 forecaster());
  }

  /// Returns the remaining trainings that find the numbers of epochs: each setting on its cheapest
  /// machine type, as often as the request repeats it.
  std::vector<RunContext> trainings_left() const {
    auto done = finished_runs(earlier_, RunKind::find_epochs, request_.retry_failed);
    std::vector<RunContext> trainings;
    for (const RunContext& candidate : on_cheapest_machine(candidates_))
      for (std::size_t number = 1; number <= request_.find_epochs->repeats; ++number) {
        RunContext training = plan_.has_seeds ? with_seed(candidate, number) : candidate;
        training.kind = RunKind::find_epochs;
        std::size_t& runs = done[candidate_name(training)];
        if (runs > 0)
          --runs;
        else
          trainings.push_back(std::move(training));
      }
    return trainings;
  }

  void probe() {
    auto requests = left(done_of(RunKind::probe));
    const std::size_t all = plan_.candidates.size();
    const std::size_t done = all - requests.size();
    store_impossible(requests);
    if (request_.choose) {
      session_.choose("searching", std::move(requests), request_.choose, earlier_, forecaster());
      return;
    }
    if (done > 0)
      session_.say(fmt::format("going on with sweep {}: {} of {} probes were done{}", sweep_.id,
                               done, all, requests.empty() ? "; --again measures all anew" : ""));
    session_.run("probing", std::move(requests), request_.rounds.value_or(kRounds), forecaster());
  }

  /// Probes one batch of each candidate after another until its largest that fits is found.
  void find_batches() {
    auto requests = left(done_of(RunKind::probe));
    store_impossible(requests);
    const std::vector<RunContext> searched = possible_candidates();
    const auto as_probe = [&](RunContext context) { return probe_for(std::move(context)); };
    std::optional<std::size_t> runs_before;
    while (!session_.was_interrupted()) {
      const std::vector<Run> runs = own_runs();
      const std::vector<RunContext> tries = next_tries(searched, runs);
      if (tries.empty() || runs.size() == runs_before) break;  // the same number: nothing started
      runs_before = runs.size();
      session_.run("finding the largest batch", left(tries, {}, as_probe), 1, forecaster());
    }
    candidates_ = with_fitting_batches(searched, own_runs());
  }

  void confirm() {
    const auto again = [&](RunContext context) { return probe_for(std::move(context)); };
    const auto first_ones = to_confirm(candidates_, own_runs(), request_.confirm, forecaster());
    session_.run("confirming", left(first_ones, {}, again), 1, forecaster());
  }

  /// Removes the candidates that cannot run from the requests, and stores them as rows with their
  /// reason.
  void store_impossible(std::vector<ProbeRequest>& requests) {
    std::erase_if(requests, [&](const ProbeRequest& request) {
      const Reason* reason = why_impossible(plan_, request.context);
      if (reason == nullptr) return false;
      Run run;
      run.context = request.context;
      run.context.started_at = tools_.now();
      run.outcome = outcome::NotStarted{reason->text};
      store_.add(run);
      return true;
    });
  }

  void finish() {
    session_.save(sweep_, !session_.was_interrupted());
    const RunAssessor forecast = forecaster();
    result_.runs = newest_of_each(own_runs());
    for (const Run& run : result_.runs) {
      result_.assessments.push_back(forecast(run));
      result_.any_failed = result_.any_failed || !has_laps(run.outcome);
    }
    for (const std::string& note : notes_on_hardware(result_.runs)) session_.say(note);
  }

  void race() {
    RaceRequest order = *request_.race;
    order.retry_failed = request_.retry_failed;
    order.finished = sweep_.finished && !request_.retry_failed;
    // With learned numbers of epochs, settings are compared at their own number.
    order.same_epochs = order.same_epochs || request_.find_epochs.has_value();
    auto requests = left(stored_as_impossible());
    store_impossible(requests);
    if (order.finished)
      session_.say(fmt::format("race {} is finished; --again measures all anew", sweep_.id));
    if (!order.finished && !requests.empty() &&
        std::ranges::all_of(requests, is_raced_in_one_piece))
      session_.say(
          "no candidate can be suspended on its machine: the race probes each in one piece, as a "
          "sweep does, and costs as much");
    RaceResult race = session_.race("racing", std::move(requests), order, earlier_, forecaster());
    const auto has_failed = [](const RaceRow& row) {
      return row.standing.state == RaceState::failed;
    };
    result_.any_failed = !plan_.impossible.empty() || std::ranges::any_of(race.rows, has_failed);
    if (!race.interrupted) session_.save(sweep_, !race.budget_spent);
    // Only a new forecaster knows the runs of this race, and what they tell about other moments.
    result_.race = findings_of(std::move(race), order.goal, forecaster());
  }

  std::set<std::string> stored_as_impossible() const {
    std::set<std::string> names;
    for (const Run& run : earlier_)
      if (why_impossible(plan_, run.context) != nullptr) names.insert(candidate_name(run.context));
    return names;
  }

  RaceFindings findings_of(RaceResult race, RaceGoal goal, const RunAssessor& assessor) const {
    RaceFindings found{std::move(race), {}, {}, {}};
    const std::vector<RaceRow>& rows = found.race.rows;
    for (const RaceRow& row : rows) found.assessments.push_back(assessor(row.run.value_or(Run{})));
    std::vector<Run> probes = session_.runs_of(sweep_);
    std::erase_if(probes, [](const Run& run) { return run.context.kind != RunKind::probe; });
    const ProbeLimits& limits = request_.probe.limits;
    found.picks = picks_of(rows, found.assessments, goal);
    found.bill = {
        cost_of_runs(probes),
        cost_of_plain_probes(rows, found.assessments, {limits.precision, limits.budget, kRounds}),
        cost_of_everything(rows, found.assessments), time_to_first_laps(found.assessments)};
    return found;
  }

  const SweepPlan& plan_;
  const SweepRequest& request_;
  const MeasuringTools& tools_;
  Store& store_;
  const std::string key_;
  MeasuringSession session_;
  Sweep sweep_;
  std::vector<Run> earlier_;
  std::vector<RunContext> candidates_;  // those that can run, each with a batch that fits
  SweepResult result_;
};

}  // namespace

SweepResult run_sweep(const SweepPlan& plan, const MeasuringTools& tools) {
  return SweepRunner(plan, tools).run();
}

}  // namespace lapcast
