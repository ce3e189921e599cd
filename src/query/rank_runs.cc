#include "query/rank_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "fleet/candidates.h"
#include "posix/on_all_cpus.h"
#include "query/before_training.h"
#include "query/forecast_run.h"
#include "query/input_files.h"
#include "query/own_programs.h"
#include "query/rank_notes.h"
#include "query/run_power.h"
#include "query/same_work.h"
#include "query/spot_plan.h"
#include "query/unmeasured.h"
#include "report/plan_text.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

using Probes = std::vector<const Run*>;
using ProbesByBatch = std::map<std::int64_t, Probes>;

/// Groups the probes by batch size. Those without laps have none; they join the largest.
ProbesByBatch by_batch_size(const SelectedRuns& selected) {
  ProbesByBatch groups;
  for (const Run& run : selected.probes) groups[batch_size_of(run)].push_back(&run);
  if (const auto failed = groups.find(0); failed != groups.end() && groups.size() > 1) {
    Probes& last = groups.rbegin()->second;
    last.insert(last.end(), failed->second.begin(), failed->second.end());
    groups.erase(failed);
  }
  return groups;
}

/// Returns the probes that are ranked together: one group without a key, or one for each batch
/// size.
std::vector<std::pair<std::optional<std::int64_t>, Probes>> groups_of(ProbesByBatch by_batch,
                                                                      bool per_batch) {
  if (per_batch && by_batch.size() > 1) return {by_batch.begin(), by_batch.end()};
  Probes together;
  for (const auto& [batch, probes] : by_batch)
    together.insert(together.end(), probes.begin(), probes.end());
  return {{std::nullopt, std::move(together)}};
}

/// Returns whether a probe is ranked at the epochs that were learned for its settings.
bool any_at_learned_epochs(const SelectedRuns& selected, const RankRequest& request) {
  return request.epochs.empty() && std::ranges::any_of(selected.probes, [&](const Run& probe) {
           return plan_for(probe, {}, request, selected.learned).epochs > 0;
         });
}

/// Returns for each probe the one from which its work is forecast.
Probes forecast_sources(const Probes& probes) {
  // Only those with the same key can be the same work.
  using Key = std::tuple<std::string, std::map<std::string, std::string>, std::vector<std::string>>;
  std::map<Key, Probes> groups;
  const auto key = [](const RunContext& context) {
    return Key{context.machine.host, context.settings, context.program};
  };
  for (const Run* run : probes) groups[key(run->context)].push_back(run);
  BetterSource better;
  Probes sources;
  for (const Run* run : probes) {
    const Run* source = run;
    for (const Run* other : groups.at(key(run->context)))
      if (is_same_work(run->context, other->context) && better.is_better(*other, *source))
        source = other;
    sources.push_back(source);
  }
  return sources;
}

/// Holds the cost of measuring the candidates with the same name.
struct ProbesCost {
  Money cost;
  std::size_t probes = 0;  // those with a price
};

std::map<std::string, ProbesCost> costs_of_probes(const SelectedRuns& selected) {
  std::map<std::string, ProbesCost> costs;
  for (const Run& run : selected.runs) {
    if (run.context.kind == RunKind::full) continue;
    const auto price = cost_of_run(run, selected.offers);
    if (!price) continue;
    ProbesCost& of_name = costs[candidate_name(run.context)];
    of_name.cost = saturating_sum(of_name.cost, *price);
    ++of_name.probes;
  }
  return costs;
}

/// Returns what a candidate's time is of where its run resumed a training; else an empty text.
std::string resumed_text(const Run& run, const Assessment& assessment) {
  const auto whole = text_of_whole(run, assessment);
  return whole ? fmt::format("resumed, ranked by {}; {}", plan_text(*assessment.plan), *whole) : "";
}

/// Makes the rankings of a request over selected runs with their offers.
class RankingMaker {
 public:
  RankingMaker(const SelectedRuns& selected, const RankRequest& request,
               const Preferences& preferences, const ForecastOfRun& forecast,
               const std::optional<MeterReadings>& meter)
      : selected_(selected),
        request_(request),
        preferences_(preferences),
        forecast_(forecast),
        meter_(meter),
        at_learned_epochs_(any_at_learned_epochs(selected, request)),
        costs_of_probes_(costs_of_probes(selected)) {
    if (request.with_queue) waits_ = queue_waits(selected.runs);
  }

  /// Returns the ranking of some probes at a number of epochs.
  RankedRuns ranked(const Probes& probes, std::optional<std::int64_t> batch_size,
                    std::optional<std::int64_t> epochs) {
    RankedRuns ranked{.batch_size = batch_size, .epochs = epochs};
    std::vector<Candidate> candidates = candidates_of(probes, epochs);
    std::vector<Offer> offers = selected_.offers;
    if (request_.with_unmeasured) add_unmeasured(probes, epochs, candidates, offers);
    ranked.ranking = rank(std::move(candidates), std::move(offers), preferences_);
    ranked.search = search_cost(probes, ranked.ranking.all_trainings);
    return ranked;
  }

  /// Returns describe_idle() of all ranked candidates with idle GPUs, by name.
  const std::map<std::string, std::string>& idle_gpus() const { return idle_gpus_; }
  /// Returns what was said of machines that were not measured.
  const std::vector<std::string>& unmeasured_notes() const { return unmeasured_notes_; }
  /// Returns what the ranking is about of all candidates that resumed a training, by name.
  const std::map<std::string, std::string>& resumed() const { return resumed_; }

 private:
  std::vector<Candidate> candidates_of(const Probes& probes, std::optional<std::int64_t> epochs) {
    const Probes sources = forecast_sources(probes);
    std::vector<Candidate> candidates(probes.size());
    std::vector<std::string> idle(probes.size()), resumed(probes.size());
    on_all_cpus(probes.size(), [&](std::size_t i) {
      const TrainingPlan plan = plan_for(*probes[i], epochs, request_, selected_.learned);
      const Assessment assessment = forecast_(*sources[i], plan);
      if (assessment.profile) idle[i] = assessment.profile->idle_gpus;
      resumed[i] = resumed_text(*sources[i], assessment);
      candidates[i] = candidate_of(*sources[i], assessment);
    });
    for (std::size_t i = 0; i < probes.size(); ++i) {
      complete(candidates[i], *probes[i]);
      const std::string name = candidate_name(sources[i]->context);
      if (!idle[i].empty()) idle_gpus_[name] = std::move(idle[i]);
      if (!resumed[i].empty()) resumed_[name] = std::move(resumed[i]);
    }
    fill_in_power(candidates, sources, meter_);
    return candidates;
  }

  /// Adds candidates on machines that no probe ran on, with the offers that they want.
  void add_unmeasured(const Probes& probes, std::optional<std::int64_t> epochs,
                      std::vector<Candidate>& candidates, std::vector<Offer>& offers) {
    if (!listed_)
      listed_ = read_catalogs(request_.selection.offer_files, request_.selection.own_prices).offers;
    const auto judge = [&](const Run& probe) {
      return forecast_(probe, plan_for(probe, epochs, request_, selected_.learned));
    };
    UnmeasuredCandidates more = unmeasured_candidates(probes, selected_, at_learned_epochs_, judge,
                                                      *listed_, request_.numbers, preferences_);
    std::ranges::move(more.candidates, std::back_inserter(candidates));
    for (Offer& offer : more.offers)
      if (offer_of_name(offers, offer.name) == nullptr) offers.push_back(std::move(offer));
    unmeasured_notes_ = std::move(more.notes);
  }

  /// Adds to a candidate what is known besides the forecast of its probe.
  void complete(Candidate& candidate, const Run& probe) const {
    const std::string& machine_type = probe.context.machine_type.name;
    candidate.machine_type = machine_type;
    candidate.where = where_of(probe.context);
    candidate.offer = probe.context.offer;
    if (const auto wait = waits_.find(machine_type); wait != waits_.end())
      candidate.wait_s = wait->second.count();
    const Seconds validation = std::exchange(candidate.demand, request_.demand).validation;
    candidate.demand.validation = validation;
    if (const auto before = selected_.before.find(machine_type); before != selected_.before.end())
      candidate.demand.before = before->second;
    const auto learned = selected_.learned.find(probe.context.settings);
    if (learned != selected_.learned.end()) add_learned(candidate, learned->second);
    if (at_learned_epochs_ && candidate.time &&
        plan_for(probe, {}, request_, selected_.learned).epochs == 0)
      candidate.time =
          because("how many epochs it needs is not known, as it is of others; see --same-epochs");
  }

  /// Returns the cost of the ranked candidates' probes, and that of running each to its end.
  SearchCost search_cost(const Probes& probes, const TrainingBill& trainings) const {
    SearchCost cost{.everything = trainings.cost, .candidates_counted = trainings.candidates};
    std::set<std::string> names;
    for (const Run* probe : probes) names.insert(candidate_name(probe->context));
    for (const std::string& name : names) {
      const auto known = costs_of_probes_.find(name);
      if (known == costs_of_probes_.end()) continue;
      cost.probes = saturating_sum(cost.probes, known->second.cost);
      cost.probes_counted += known->second.probes;
    }
    return cost;
  }

  const SelectedRuns& selected_;
  const RankRequest& request_;
  const Preferences& preferences_;
  const ForecastOfRun& forecast_;
  const std::optional<MeterReadings>& meter_;
  const bool at_learned_epochs_;                       // where they are known
  std::map<std::string, ProbesCost> costs_of_probes_;  // by candidate
  std::map<std::string, Seconds> waits_;               // by machine type
  std::map<std::string, std::string> idle_gpus_;
  std::map<std::string, std::string> resumed_;
  std::vector<std::string> unmeasured_notes_;
  std::optional<std::vector<Offer>> listed_;  // all that the catalogs offer, once it was asked for
};

/// Adds an offer without a price for each probe that has none.
void add_free_offers(SelectedRuns& selected) {
  for (const Run& probe : selected.probes) {
    if (offer_of(probe, selected.offers) != nullptr) continue;
    Offer free;
    free.name = free.machine_type = probe.context.machine_type.name;
    free.billing = {0, 0};
    selected.offers.push_back(std::move(free));
  }
}

/// Sets the offers that the request is about. If none of them costs anything, gives every probe
/// one, and ranks by time instead of cost.
void take_prices(SelectedRuns& selected, const RankRequest& request, Preferences& preferences) {
  if (request.marginal)
    for (Offer& offer : selected.offers) offer.price = marginal_price(offer);
  const auto costs_anything = [](const Offer& offer) { return offer.price.per_hour > Money{}; };
  if (std::ranges::any_of(selected.offers, costs_anything)) return;
  add_free_offers(selected);
  if (!is_by_energy(preferences.by)) preferences.by = Objective::time;
}

}  // namespace

SelectedRuns selected_for(const Store& store, const RankRequest& request) {
  SelectedRuns selected = select_runs(store, request.selection);
  if (request.with_unmeasured && !request.alone)
    selected.own_programs = own_programs(store, selected.probes);
  if (!request.with_transfer) {
    selected.before = measured_boots(selected.probes);
    return selected;
  }
  FleetLookup fleets(store);
  const std::string folder = selected.sweep ? selected.sweep->folder : request.selection.folder;
  selected.before =
      before_trainings(selected.probes, store.runs({.folder = folder, .own = true}), fleets);
  return selected;
}

TrainingPlan plan_for(const Run& probe, std::optional<std::int64_t> epochs,
                      const RankRequest& request, const LearnedBySettings& learned) {
  TrainingPlan plan = request.plan;
  plan.epochs = epochs.value_or(0);
  return request.same_epochs ? plan : with_learned_epochs(plan, probe, learned);
}

RankResult rank_runs(const Store& store, const RankRequest& request) {
  RunForecaster forecaster = request.alone ? RunForecaster() : RunForecaster(store);
  forecaster.wish(request.conditions);
  forecaster.take(request.preferences.method);
  return rank_selected(
      selected_for(store, request), request,
      [&](const Run& run, const TrainingPlan& plan) { return forecaster.forecast(run, plan); });
}

RankResult rank_selected(SelectedRuns found, const RankRequest& request,
                         const ForecastOfRun& forecast) {
  RankResult result{std::move(found), {}};
  Preferences preferences = request.preferences;
  take_prices(result.selected, request, preferences);
  std::optional<MeterReadings> meter;
  if (!request.meter_file.empty()) {
    meter = read_meter_file(request.meter_file);
    std::ranges::copy(meter->lines, std::back_inserter(result.selected.warnings));
  }
  if (!request.spot_trace.empty()) {
    const ReadTrace read = read_trace(request.spot_trace);
    for (const Reason& problem : read.problems) result.selected.warnings.push_back(problem.text);
    preferences.spot.trace = machines_of(read, request.spot_trace);
  }
  std::vector<std::optional<std::int64_t>> epochs(request.epochs.begin(), request.epochs.end());
  if (epochs.empty()) epochs.emplace_back();
  const SelectedRuns& selected = result.selected;
  RankingMaker maker(selected, request, preferences, forecast, meter);
  ProbesByBatch by_batch = by_batch_size(selected);
  result.mixes_batch_sizes =
      by_batch.size() > 1 && !request.per_batch && !any_at_learned_epochs(selected, request);
  for (const auto& [batch_size, probes] : groups_of(std::move(by_batch), request.per_batch))
    for (const auto& number : epochs)
      result.rankings.push_back(maker.ranked(probes, batch_size, number));
  result.notes = selected.price_notes;
  std::ranges::copy(maker.unmeasured_notes(), std::back_inserter(result.notes));
  std::ranges::move(notes_on_hardware(selected.probes), std::back_inserter(result.notes));
  add_notes_of_candidates(result.notes, maker.idle_gpus(), "had GPUs that were not busy");
  add_notes_of_candidates(result.notes, maker.resumed(), "resumed a training");
  add_notes_of_candidates(result.notes, paid_parts(selected.probes), "pay a part of a machine");
  if (!result.rankings.empty())
    if (auto note = note_on_tax(result.rankings.front().ranking))
      result.notes.push_back(*std::move(note));
  if (request.marginal) result.notes.emplace_back(kNoteOnMarginalCosts);
  return result;
}

const Run* first_choice(const RankedRuns& ranked, const SelectedRuns& selected) {
  if (ranked.ranking.chosen.empty()) return nullptr;
  return probe_of(*ranked.ranking.chosen.front().candidate, selected.probes);
}

Winner winner_of(const Store& store, const RankRequest& request) {
  if (request.epochs.size() > 1)
    throw Error(ExitCode::usage,
                "several numbers of epochs have not one winner: give --epochs one");
  const RankResult result = rank_runs(store, request);
  if (result.rankings.size() > 1)
    throw Error(ExitCode::usage,
                "--per-batch ranks batch sizes apart, so there is not one winner: leave it out");
  const RankedRuns& ranked = result.rankings.front();
  const Run* run = first_choice(ranked, result.selected);
  if (run == nullptr)
    throw Error(ExitCode::some_failed, "nothing could be ranked; lapcast rank says why");
  return {.run = *run,
          .choice = ranked.ranking.chosen.front(),
          .expected_regret = ranked.ranking.expected_regret,
          .warnings = result.selected.warnings,
          .sweep = result.selected.sweep,
          .candidates = result.selected.probes.size()};
}

}  // namespace lapcast
