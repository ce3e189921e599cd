#include "commands/rank/rank_strategies.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "core/error.h"
#include "fleet/candidates.h"
#include "history/assessment.h"
#include "query/forecast_run.h"
#include "query/program_content.h"
#include "query/same_work.h"
#include "query/stored_race.h"
#include "query/sweep_state.h"
#include "report/cells.h"
#include "run/attempts.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

/// Holds the full runs of the selected candidates.
class RealRuns {
 public:
  RealRuns(const Store& store, const SelectedRuns& selected) {
    for (const Sweep& sweep : store.sweeps())
      if (auto content = program_of_description(sweep.description); content && !content->empty())
        contents_[sweep.id] = *std::move(content);
    std::map<CandidateKey, const Run*> probes;
    for (const Run& probe : selected.probes) probes[candidate_key(probe.context)] = &probe;
    for (Run& run : store.runs({.kind = RunKind::full, .own = true})) {
      if (!is_whole_training(run)) continue;
      const auto probe = probes.find(candidate_key(run.context));
      if (probe == probes.end() || !has_same_files(run, *probe->second)) continue;
      ids_.insert(run.context.id);
      runs_[probe->first].push_back(std::move(run));
    }
  }

  const std::set<std::string>& ids() const { return ids_; }
  std::vector<Run> of(const Run& probe) const {
    const auto found = runs_.find(candidate_key(probe.context));
    return found == runs_.end() ? std::vector<Run>{} : found->second;
  }

 private:
  /// Returns whether the files of the program were the same, as far as their sweeps say.
  bool has_same_files(const Run& a, const Run& b) const {
    const auto of_a = contents_.find(a.context.sweep);
    const auto of_b = contents_.find(b.context.sweep);
    if (of_a == contents_.end() || of_b == contents_.end()) return true;
    // A set of repeated runs may cover files of fewer candidates than a sweep.
    return std::ranges::all_of(of_a->second, [&](const auto& file) {
      const auto known = of_b->second.find(file.first);
      return known == of_b->second.end() || known->second == file.second;
    });
  }

  std::map<std::string, ProgramContent> contents_;  // by sweep
  std::map<CandidateKey, std::vector<Run>> runs_;
  std::set<std::string> ids_;
};

/// Holds a probe of a ranking, its forecast by lapcast, and the real times of its training.
struct ComparedProbe {
  const Run* probe = nullptr;
  Assessment assessment;
  std::vector<double> real_s = {};
  std::size_t of_other_plans = 0;

  std::optional<Seconds> real() const {
    return real_s.empty() ? std::nullopt : std::optional(Seconds{mean(real_s)});
  }
};
using ComparedProbes = std::map<std::string, ComparedProbe>;  // by the probe's id

/// Returns the value of a choice for a training of the real length; nullopt if it has no bill, and
/// on machines that are interrupted, for which full runs do not show the whole cost.
std::optional<StrategyValue> real_value(const Choice& choice, const ComparedProbe& probe) {
  if (!probe.real() || choice.spot) return std::nullopt;
  const auto bill =
      quote(*choice.offer, Interval<Seconds>::exactly(*probe.real()), choice.candidate->demand);
  if (!bill) return std::nullopt;
  return StrategyValue{bill->time.mid + Seconds{choice.candidate->wait_s}, bill->total.mid};
}

/// Returns the values of one ranking by all methods. `rankings` are in the order of kAllMethods.
std::vector<StrategyRow> strategy_rows(const std::vector<const Ranking*>& rankings,
                                       const SelectedRuns& selected, const ComparedProbes& probes) {
  std::vector<StrategyRow> rows;
  std::map<std::tuple<std::string, std::string, std::string>, std::size_t> index;
  for (std::size_t method = 0; method < rankings.size(); ++method) {
    for (const Choice& choice : rankings[method]->chosen) {
      const Candidate& candidate = *choice.candidate;
      const Run* probe = probe_of(candidate, selected.probes);
      if (probe == nullptr) continue;
      const auto [entry, is_new] = index.try_emplace(
          {probe->context.id, choice.offer->name, choice.offer->source}, rows.size());
      if (is_new) {
        StrategyRow& row = rows.emplace_back();
        row.machine_type = candidate.machine_type;
        row.settings = candidate.settings;
        if (const Cell name = offer_cell(*choice.offer); std::holds_alternative<std::string>(name))
          row.offer = std::get<std::string>(name);
        const ComparedProbe& compared = probes.at(probe->context.id);
        row.real = real_value(choice, compared);
        row.real_runs = row.real ? compared.real_s.size() : 0;
      }
      rows[entry->second].forecasts[method] = {choice.quote.time.mid, choice.quote.total.mid};
    }
  }
  return rows;
}

/// Returns why methods lack forecasts: a row for each method and reason.
std::vector<MissingForecasts> missing_forecasts(const std::vector<const Ranking*>& rankings) {
  std::vector<MissingForecasts> missing;
  for (std::size_t method = 0; method < rankings.size(); ++method) {
    std::map<std::string, std::set<const Candidate*>> by_reason;
    for (const Excluded& row : rankings[method]->excluded)
      if (row.candidate && !row.candidate->time)
        by_reason[row.candidate->time.error().text].insert(row.candidate.get());
    for (const auto& [reason, candidates] : by_reason)
      missing.push_back({kAllMethods[method], candidates.size(), reason});
  }
  return missing;
}

/// Computes the bill of the search for the probes of one ranking.
class BillMaker {
 public:
  BillMaker(const Store& store, const SelectedRuns& selected) : store_(store), selected_(selected) {
    for (const Sweep& sweep : store.sweeps())
      if (race_of(sweep)) races_.push_back(sweep.id);
  }

  SearchBill bill_of(const ComparedProbes& probes) const {
    SearchBill bill;
    std::set<CandidateKey> candidates;
    for (const auto& [id, each] : probes) {
      candidates.insert(candidate_key(each.probe->context));
      add_methods(bill, each);
    }
    bool has_race = false;
    for (const Run& run : selected_.runs) has_race = add_probe(bill, run, candidates) || has_race;
    for (auto race = races_.rbegin(); race != races_.rend() && !has_race; ++race)
      for (const Run& run : store_.runs({.sweep = *race, .own = true}))
        has_race = add_probe(bill, run, candidates) || has_race;
    return bill;
  }

 private:
  void add_methods(SearchBill& bill, const ComparedProbe& each) const {
    const auto add = [&](SearchWay way, const Result<SearchTime>& time) {
      bill.of(each.probe->context.machine_type.name, way).add(time, *each.probe, selected_.offers);
    };
    const Assessment& made = each.assessment;
    if (const auto real = each.real())
      add(SearchWay::everything, SearchTime{*real, true});
    else
      add(SearchWay::everything, made.forecast.map([](const Forecast& forecast) {
        return SearchTime{forecast.total.mid, false};
      }));
    add(SearchWay::two_epochs, made.plan.and_then([&](const TrainingPlan& plan) {
      return time_of_two_epochs(*made.profile, plan);
    }));
    add(SearchWay::two_iterations, made.profile.and_then(time_of_two_iterations));
  }

  /// Adds a run that was made to choose among these candidates. Returns whether a race made it.
  bool add_probe(SearchBill& bill, const Run& run, const std::set<CandidateKey>& candidates) const {
    const RunContext& context = run.context;
    if (context.kind == RunKind::full || was_imported(context) ||
        !candidates.contains(candidate_key(context)))
      return false;
    const bool is_race = std::ranges::find(races_, context.sweep) != races_.end();
    bill.of(context.machine_type.name, is_race ? SearchWay::race : SearchWay::probes)
        .add(SearchTime{time_of_attempts(run), true}, run, selected_.offers);
    return is_race;
  }

  const Store& store_;
  const SelectedRuns& selected_;
  std::vector<std::string> races_;  // ids of sweeps, the oldest first
};

/// Returns the probes that are ranked.
std::vector<const Run*> probes_of_ranking(const Ranking& ranking, const SelectedRuns& selected) {
  std::set<const Run*> probes;
  for (const Choice& choice : ranking.chosen)
    probes.insert(probe_of(*choice.candidate, selected.probes));
  for (const Excluded& row : ranking.excluded)
    if (row.candidate) probes.insert(probe_of(*row.candidate, selected.probes));
  probes.erase(nullptr);
  return {probes.begin(), probes.end()};
}

/// Returns what is known of a probe for this plan.
ComparedProbe compared_probe(const Run& probe, const TrainingPlan& plan, const RealRuns& real,
                             RunForecaster& forecaster) {
  ComparedProbe compared{&probe, forecaster.forecast(probe, plan)};
  if (!compared.assessment.plan) return compared;
  for (const Run& run : real.of(probe)) {
    if (const auto time = real_time_of(run, *compared.assessment.plan))
      compared.real_s.push_back(time->count());
    else
      ++compared.of_other_plans;
  }
  return compared;
}

/// Compares the methods in one ranking. `rankings` has that ranking by each method.
Strategies strategies_of(const std::vector<const Ranking*>& rankings, const SelectedRuns& selected,
                         const ComparedProbes& probes) {
  Strategies result{.by = rankings.front()->by,
                    .is_priced = rankings.front()->is_priced,
                    .rows = strategy_rows(rankings, selected, probes),
                    .missing = missing_forecasts(rankings)};
  for (const auto& [id, probe] : probes) result.of_other_plans += probe.of_other_plans;
  return result;
}

}  // namespace

std::vector<Strategies> compare_strategies(const Store& store, const RankRequest& request) {
  const Objective by = request.preferences.by;
  if (by != Objective::cost && by != Objective::time)
    throw Error(ExitCode::usage, "--strategies are compared --by cost or --by time");
  const SelectedRuns chosen = selected_for(store, request);
  const RealRuns real(store, chosen);
  RunForecaster forecaster = request.alone ? RunForecaster() : RunForecaster(store, real.ids());
  forecaster.wish(request.conditions);
  const ForecastOfRun forecast = [&](const Run& run, const TrainingPlan& plan) {
    return forecaster.forecast(run, plan);
  };
  RankRequest plain = request;
  plain.preferences = {.by = by, .spot = request.preferences.spot};
  std::vector<RankResult> results;
  for (const Method method : kAllMethods) {
    forecaster.take(method);
    plain.preferences.method = method;
    results.push_back(rank_selected(chosen, plain, forecast));
  }
  forecaster.take(Method::lapcast);
  const SelectedRuns& selected = results.front().selected;  // with an offer for every machine
  const BillMaker bills(store, selected);
  std::vector<Strategies> all;
  for (std::size_t i = 0; i < results.front().rankings.size(); ++i) {
    std::vector<const Ranking*> rankings;
    for (const RankResult& result : results) rankings.push_back(&result.rankings[i].ranking);
    ComparedProbes probes;
    for (const Run* probe : probes_of_ranking(*rankings.front(), selected)) {
      const auto epochs = results.front().rankings[i].epochs;
      const TrainingPlan plan = plan_for(*probe, epochs, request, selected.learned);
      probes.insert({probe->context.id, compared_probe(*probe, plan, real, forecaster)});
    }
    all.push_back(strategies_of(rankings, selected, probes));
    all.back().bill = bills.bill_of(probes);
  }
  return all;
}

}  // namespace lapcast
