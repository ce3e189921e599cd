#include "campaign/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <set>
#include <utility>

#include "campaign/campaign.h"
#include "campaign/measuring_session.h"
#include "campaign/runs_in_turn.h"
#include "campaign/tune_warm_up.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "query/forecast_run.h"
#include "query/program_content.h"
#include "query/sweep_state.h"
#include "run/settings.h"

namespace lapcast {
namespace {

using TuneSettings = std::vector<TuneSetting>;

/// Is the assumed length of a training whose length is not known.
constexpr std::int64_t kAssumedSteps = 1000;

/// Holds the result of racing single settings and their combination.
struct SearchFindings {
  std::vector<TuneRow> rows;  // the base first
  TuneSettings chosen;        // the fastest; empty = none is worth repeated runs
};

class TuneRunner {
 public:
  TuneRunner(const TuneRequest& request, const MeasuringTools& tools)
      : request_(request),
        store_(tools.store),
        supply_(tools.supply),
        key_(key_of_all()),
        session_(tools, tools.lock(key_, "this tuning"), request.probe.run_parent) {
    take_settings(request.settings);
  }

  TuneResult run() {
    try {
      search_all();
    } catch (...) {
      if (supply_ != nullptr) supply_->finish();
      throw;
    }
    if (supply_ != nullptr) supply_->finish();
    result_.interrupted = session_.was_interrupted();
    return std::move(result_);
  }

 private:
  void search_all() {
    result_.sweep = begin(key_);
    if (supply_ != nullptr) supply_->begin(result_.sweep.id, true);
    if (!result_.sweep.finished) warm_up();
    if (request_.settings_of && !session_.was_interrupted())
      take_settings(request_.settings_of(machine_of_warm_up(request_, store_, result_.sweep)));
    result_.gpu_busy = gpu_busy_of_default(store_, result_.sweep);
    result_.gpu_note = note_of_busy_gpu(result_.gpu_busy, !changing_.empty());
    const bool is_gpu_first = !result_.gpu_note.empty();
    if (is_gpu_first) session_.say(result_.gpu_note);
    if (is_gpu_first && !changing_.empty()) try_changing();
    SearchFindings found = search(result_.sweep, request_.probe.context, keeping_);
    result_.rows = std::move(found.rows);
    result_.verdict.chosen = std::move(found.chosen);
    if (may_go_on() && !result_.verdict.chosen.empty()) verify();
    if (!is_gpu_first && may_go_on() && !changing_.empty()) try_changing();
    finish();
  }

  bool may_go_on() const { return !session_.was_interrupted() && !result_.budget_spent; }

  void take_settings(const TuneSettings& settings) {
    for (const TuneSetting& setting : settings)
      (setting.changes_results ? changing_ : keeping_).push_back(setting);
  }

  std::string key_of_all() const {
    std::map<std::string, std::string> more{{"repeats", std::to_string(request_.repeats)}};
    if (request_.settings_of) more["asked"] = request_.asked;
    std::vector<ProbeRequest> probes{request_.probe};
    for (const TuneSetting& setting : request_.settings)
      probes.push_back(probe_with(request_.probe.context, {setting}));
    return fingerprint(probes, more) + "-tune";
  }

  ProbeRequest probe_with(const RunContext& base, const TuneSettings& settings) const {
    ProbeRequest probe = request_.probe;
    probe.context = with_settings(base, settings);
    return probe;
  }

  /// Resumes the sweep of the key, or begins it. With a subject it is a set of repeated runs.
  Sweep begin(const std::string& key, const std::string& subject = "") {
    sweeps_.push_back(
        session_.begin({.key = key,
                        .fleet_file = subject.empty() ? kNoFleetFile : "",
                        .subject = subject,
                        .folder = subject.empty() ? request_.probe.context.working_dir : "",
                        .program = program_content({request_.probe.context}),
                        .again = request_.again,
                        .keep = request_.keep}));
    return sweeps_.back();
  }

  void warm_up() {
    const std::optional<ProbeRequest> first = warm_up_of(request_, store_, result_.sweep);
    if (first) session_.run("warming up", {*first});
  }

  // Forecasts

  /// Returns a function that forecasts a run of kAssumedSteps where its plan is not known.
  RunAssessor assessor(bool alone = false) {
    const auto forecaster =
        alone ? std::make_shared<RunForecaster>() : std::make_shared<RunForecaster>(store_);
    return [this, forecaster](const Run& run) {
      Assessment assessment = forecaster->forecast(run);
      if (assessment.forecast || !assessment.profile || assessment.plan) return assessment;
      result_.assumed_steps = kAssumedSteps;
      return forecaster->forecast(run, {.steps = kAssumedSteps});
    };
  }

  // Money and time

  /// Returns what all runs took, except those of these candidates of a sweep; the warm-up always
  /// counts.
  Expense spent(const std::string& sweep = "", const std::set<std::string>& candidates = {}) const {
    Expense sum;
    for (const Sweep& own : sweeps_) {
      std::vector<Run> runs = session_.runs_of(own);
      std::erase_if(runs, [&](const Run& run) {
        return own.id == sweep && !run.context.warm_up &&
               candidates.contains(candidate_name(run.context));
      });
      const Expense more = cost_of_runs(runs);
      sum.time += more.time;
      sum.cost = saturating_sum(sum.cost, more.cost);
    }
    return sum;
  }

  /// Returns what is left of the search budget for these candidates of a sweep, whose earlier runs
  /// a race counts itself. Returns nothing when the budget is spent.
  std::optional<RaceBudget> budget_for(const std::string& sweep,
                                       const std::set<std::string>& candidates) const {
    const Expense gone = spent(sweep, candidates);
    RaceBudget left = request_.budget;
    if (left.time && (*left.time -= gone.time).count() <= 0) return std::nullopt;
    if (left.money) {
      if (gone.cost >= *left.money) return std::nullopt;
      *left.money = *left.money - gone.cost;
    }
    return left;
  }

  // The search

  /// Races these candidates; with `baseline` each against the base and those of the same setting,
  /// else all against each other. Candidates that raced before keep their runs.
  std::vector<RaceRow> race(const Sweep& sweep, const std::vector<RunContext>& candidates,
                            const std::optional<std::map<std::string, std::string>>& baseline) {
    std::set<std::string> names;
    for (const RunContext& candidate : candidates) names.insert(candidate_name(candidate));
    RaceRequest order;
    order.goal = RaceGoal::time;
    order.same_epochs = true;
    order.baseline = baseline;
    order.finished = result_.sweep.finished || session_.was_interrupted();
    if (const auto budget = budget_for(sweep.id, names))
      order.budget = *budget;
    else
      order.finished = result_.budget_spent = true;
    const auto probe_of = [this](RunContext context) {
      ProbeRequest probe = request_.probe;
      probe.context = std::move(context);
      probe.context.start = StartKind::warm;  // warm_up() came before
      return probe;
    };
    auto requests = remaining(candidates, sweep, {}, store_.pending_runs(), probe_of);
    std::vector<Run> earlier = session_.runs_of(sweep);
    std::erase_if(earlier, [](const Run& run) { return run.context.warm_up; });
    RaceResult raced = session_.race(baseline ? "racing settings" : "racing combinations",
                                     std::move(requests), order, earlier, assessor());
    result_.budget_spent = result_.budget_spent || raced.budget_spent;
    return std::move(raced.rows);
  }

  /// Returns the row of a candidate, without what is computed from all rows.
  static TuneRow row_of(const std::vector<RaceRow>& raced, const RunContext& candidate) {
    const auto is_it = [&](const RaceRow& row) {
      return row.candidate.name == candidate_name(candidate);
    };
    return {settings_text(candidate), *std::ranges::find_if(raced, is_it), std::nullopt, 0, {}};
  }

  /// Races the base against each setting, and then the combination of the surely faster settings
  /// against its parts.
  SearchFindings search(const Sweep& sweep, const RunContext& start, const TuneSettings& settings) {
    SearchFindings found;
    std::vector<RunContext> candidates{start};
    for (const TuneSetting& setting : settings)
      candidates.push_back(with_settings(start, std::vector{setting}));
    const auto raced = race(sweep, candidates, start.settings);
    for (const RunContext& each : candidates) found.rows.push_back(row_of(raced, each));
    compare(found.rows);
    std::vector<std::optional<Interval<double>>> ratios;
    for (std::size_t i = 1; i < found.rows.size(); ++i) ratios.push_back(found.rows[i].ratio);
    const std::vector<std::size_t> indices = settings_to_combine(settings, ratios);
    for (const std::size_t i : indices) found.chosen.push_back(settings[i]);
    if (indices.size() < 2 || !may_go_on()) return found;
    std::vector<RunContext> parts{with_settings(start, found.chosen)};
    for (const std::size_t i : indices) parts.push_back(candidates[i + 1]);
    found.rows.push_back(row_of(race(sweep, parts, std::nullopt), parts.front()));
    compare(found.rows);
    choose_fastest(found, settings, indices);
    return found;
  }

  /// Fills in what follows from all rows together.
  void compare(std::vector<TuneRow>& rows) {
    const RunAssessor forecast_of = assessor();
    std::vector<Assessment> assessments;
    std::vector<RaceRow> raced;
    for (const TuneRow& row : rows) {
      assessments.push_back(forecast_of(row.race.run.value_or(Run{})));
      raced.push_back(row.race);
    }
    const std::vector<double> chances = chances_of_fastest(raced, assessments);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      rows[i].chance_fastest = chances[i];
      const bool is_known = rows[i].race.run && rows[0].race.run;
      if (i > 0 && is_known) rows[i].ratio = ratio_of_times(assessments[i], assessments[0]);
      if (i > 0 && is_known)
        rows[i].loss = compared_loss(*laps_of(*rows[i].race.run), *laps_of(*rows[0].race.run));
    }
    if (!result_.default_time && assessments.front().forecast)
      result_.default_time = assessments.front().forecast->total.mid;
  }

  /// Replaces the combination by one of its settings if that alone is faster.
  static void choose_fastest(SearchFindings& found, const TuneSettings& settings,
                             const std::vector<std::size_t>& indices) {
    const std::optional<Interval<double>>& together = found.rows.back().ratio;
    const auto alone = [&](std::size_t i) { return found.rows[i + 1].ratio->mid; };
    const std::size_t best = std::ranges::min(indices, {}, alone);
    if (!together || alone(best) < together->mid) found.chosen = {settings[best]};
  }

  // Repeated runs

  /// Runs the default in turn with what the search found.
  void verify() {
    TuneVerdict& verdict = result_.verdict;
    const std::string name = text_of_settings(verdict.chosen);
    const RunContext& start = request_.probe.context;
    TurnsRequest turns{.probe = request_.probe,
                       .base = start,
                       .other = with_settings(start, verdict.chosen),
                       .repeats = request_.repeats,
                       .time = {},
                       .can_pay = {},
                       .pending = store_.pending_runs()};
    turns.time = [forecast_of = assessor(true)](const Run& run) -> Result<double> {
      if (!has_laps(run.outcome)) return because(describe(run.outcome));
      return forecast_of(run).forecast.map(
          [](const Forecast& made) { return made.total.mid.count(); });
    };
    turns.can_pay = [this](std::size_t runs) { return can_pay(runs); };
    const TurnsFindings found = run_in_turn(
        turns, begin(result_.sweep.id + "-verify " + name, "default and " + name), session_);
    verdict.pairs = found.pairs;
    verdict.ratio = found.ratio;
    verdict.why_not_known = found.reason;
    result_.budget_spent = found.cannot_pay;
  }

  /// Returns whether the search budget pays for that many more runs, each as long as the default's.
  bool can_pay(std::size_t runs) const {
    if (runs == 0 || !result_.rows.front().race.run) return true;
    const std::optional<RaceBudget> left = budget_for("", {});
    if (!left) return false;
    const Expense one = cost_of_runs(std::vector{*result_.rows.front().race.run});
    const auto count = static_cast<double>(runs);
    return !(left->time && one.time * count > *left->time) &&
           !(left->money && one.cost.dollars() * count > left->money->dollars());
  }

  // Settings that change results

  void try_changing() {
    const TuneSettings base = result_.verdict.is_sure() ? result_.verdict.chosen : TuneSettings{};
    RunContext start = request_.probe.context;
    start.machine_type.environment[kHookVariable] = "loss";  // the hook reports losses
    Sweep sweep = begin(result_.sweep.id + "-changing " + text_of_settings(base) + "-tune");
    result_.changing = search(sweep, with_settings(std::move(start), base), changing_).rows;
    session_.save(sweep, may_go_on());
  }

  void finish() {
    result_.spent = spent();
    for (const Sweep& own : sweeps_)
      std::ranges::move(session_.runs_of(own), std::back_inserter(result_.runs));
    const auto has_failed = [](const TuneRow& row) {
      return row.race.standing.state == RaceState::failed;
    };
    result_.any_failed = std::ranges::any_of(result_.rows, has_failed) ||
                         std::ranges::any_of(result_.changing, has_failed);
    session_.save(result_.sweep, may_go_on());
  }

  const TuneRequest& request_;
  Store& store_;
  MachineSupply* const supply_;
  const std::string key_;
  MeasuringSession session_;
  TuneSettings keeping_;
  TuneSettings changing_;
  std::vector<Sweep> sweeps_;  // all that this command measures in
  TuneResult result_;
};

}  // namespace

TuneResult run_tune(const TuneRequest& request, const MeasuringTools& tools) {
  return TuneRunner(request, tools).run();
}

}  // namespace lapcast
