#include "query/rank_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <mutex>
#include <set>
#include <utility>
#include <variant>

#include "core/units.h"
#include "fleet/candidates.h"
#include "history/assessment.h"
#include "posix/on_all_cpus.h"
#include "query/before_training.h"
#include "query/current_offers.h"
#include "query/forecast_run.h"
#include "query/input_files.h"
#include "query/rank_notes.h"
#include "query/run_power.h"
#include "query/run_set.h"
#include "query/same_work.h"
#include "query/spot_plan.h"
#include "query/sweep_state.h"
#include "report/cells.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

/// Returns whether a probe stands for a candidate rather than the one before it: a measured run
/// rather than an imported one, then one with more laps. The laps of all of them count in the
/// forecast, which takes init and validation from this one.
bool says_more(const Run& later, const Run& earlier) {
  if (was_imported(later.context) != was_imported(earlier.context))
    return was_imported(earlier.context);
  const auto laps = [](const Run& run) {
    return has_laps(run.outcome) ? laps_of(run)->laps.size() : 0;
  };
  return laps(later) >= laps(earlier);
}

/// Returns whether a run may stand for its candidate, with a forecast or the reason why it has
/// none. A run of an old log may, of whatever kind it is: its machine cannot be probed any more.
bool may_be_ranked(const Run& run) {
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return false;
  return run.context.kind == RunKind::probe || !run.context.imported_from.empty();
}

std::vector<Run> best_probes(const std::vector<Run>& runs) {
  std::map<std::pair<std::string, std::vector<std::string>>, const Run*> best;
  for (const Run& run : runs) {
    if (!may_be_ranked(run)) continue;
    const Run*& entry = best[{candidate_name(run.context), run.context.program}];
    if (entry == nullptr || says_more(run, *entry)) entry = &run;
  }
  std::vector<Run> result;
  for (const auto& [candidate, run] : best) result.push_back(*run);
  return result;
}

using Probes = std::vector<const Run*>;

using ProbesByBatch = std::map<std::int64_t, Probes>;

/// Returns the probes by batch size. Those without laps have none; they stand with the largest.
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

/// Returns whether each probe is ranked at the epochs that were learned for its settings.
bool all_at_learned_epochs(const SelectedRuns& selected, const RankRequest& request) {
  return request.epochs.empty() && !request.same_epochs &&
         std::ranges::all_of(selected.probes, [&](const Run& run) {
           return with_learned_epochs({}, run, selected.learned).epochs > 0;
         });
}

/// Returns the probe that says most of all of the same work on the same hardware as `run`.
const Run& forecast_source(const Run& run, const Probes& probes) {
  const Run* source = &run;
  for (const Run* other : probes)
    if (is_same_work(run.context, other->context) && says_more(*other, *source)) source = other;
  return *source;
}

std::vector<Candidate> candidates_of_probes(const Probes& probes,
                                            std::optional<std::int64_t> epochs,
                                            const RankRequest& request,
                                            const SelectedRuns& selected,
                                            const ForecastOfRun& forecast,
                                            const std::optional<MeterReadings>& meter) {
  const auto waits =
      request.with_queue ? queue_waits(selected.runs) : std::map<std::string, Seconds>{};
  Probes sources;
  for (const Run* run : probes) sources.push_back(&forecast_source(*run, probes));
  std::vector<Candidate> candidates(probes.size());
  on_all_cpus(probes.size(), [&](std::size_t i) {
    const RequestedPlan plan = plan_for(*probes[i], epochs, request, selected.learned);
    candidates[i] = candidate_of(*sources[i], forecast(*sources[i], plan));
  });
  for (std::size_t i = 0; i < probes.size(); ++i) {
    const Run* const run = probes[i];
    Candidate& candidate = candidates[i];
    candidate.machine_type = run->context.machine_type.name;
    candidate.where = where_of(run->context);
    candidate.offer = run->context.offer;
    if (const auto wait = waits.find(run->context.machine_type.name); wait != waits.end())
      candidate.wait_s = wait->second.count();
    const Seconds validation = std::exchange(candidate.demand, request.demand).validation;
    candidate.demand.validation = validation;
    if (const auto before = selected.before.find(run->context.machine_type.name);
        before != selected.before.end())
      candidate.demand.before = before->second;
    const auto learned = selected.learned.find(run->context.settings);
    if (learned != selected.learned.end()) add_learned(candidate, learned->second);
  }
  fill_in_power(candidates, sources, meter);
  return candidates;
}

/// Returns what the probes of a group cost, and what running each of its candidates would.
SearchCost search_cost(const Probes& probes, const std::vector<Candidate>& candidates,
                       const SelectedRuns& selected, const SpotAssumptions& spot) {
  SearchCost cost;
  std::set<std::string> group;
  for (const Run* probe : probes) group.insert(candidate_name(probe->context));
  for (const Run& run : selected.runs) {
    if (run.context.kind == RunKind::full || !group.contains(candidate_name(run.context))) continue;
    const auto price = cost_of_run(run, selected.offers);
    if (!price) continue;
    cost.probes = saturating_sum(cost.probes, *price);
    ++cost.probes_counted;
  }
  std::map<const Candidate*, Money> cheapest;
  for (const auto without_limits = choices_of(candidates, selected.offers, {.spot = spot});
       const Choice& choice : without_limits) {
    const auto [entry, is_new] =
        cheapest.try_emplace(choice.candidate.get(), choice.quote.total.mid);
    if (!is_new) entry->second = std::min(entry->second, choice.quote.total.mid);
  }
  for (const auto& [candidate, amount] : cheapest)
    cost.everything = saturating_sum(cost.everything, amount);
  cost.candidates_counted = cheapest.size();
  return cost;
}

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

}  // namespace

std::string sweep_named(const Store& store, const std::string& id_or_name) {
  const auto found = store.find_sweep(id_or_name);
  return found ? found->id : id_or_name;
}

std::string selected_sweep(const Store& store, const RunSelection& selection) {
  if (!selection.named.empty()) return "";
  if (!selection.sweep.empty()) return sweep_named(store, selection.sweep);
  const auto newest = store.newest_sweep(selection.folder);
  return newest && !selection.all ? newest->id : "";
}

/// Removes the offers of other machines than those of the runs: of the prices that lapcast comes
/// with, only few concern a ranking.
void keep_offers_of(const std::vector<Run>& probes, std::vector<Offer>& offers) {
  std::vector<std::string_view> wanted;
  for (const Run& run : probes)
    wanted.push_back(run.context.offer.empty() ? run.context.machine_type.name : run.context.offer);
  std::ranges::sort(wanted);
  std::erase_if(offers, [&](const Offer& offer) {
    return !std::ranges::binary_search(wanted, std::string_view(offer.machine_type)) &&
           !std::ranges::binary_search(wanted, std::string_view(offer.name));
  });
}

SelectedRuns runs_of(const Store& store, const RunSelection& selection) {
  RunFilter filter;
  SelectedRuns selected;
  if (const std::string id = selected_sweep(store, selection); !id.empty()) {
    filter.sweep = id;
    selected.sweep = store.find_sweep(id);
  }
  // A sweep that was made on this store has measured runs only: an import may name any sweep.
  filter.own = selected.sweep.has_value();
  selected.runs = selection.named.empty() ? store.runs(filter) : runs_named(store, selection.named);
  selected.probes = best_probes(selected.runs);
  selected.learned = learned_epochs(selected.runs);
  selected.offers = offers_of(selected.probes);
  const bool any_names_an_offer = std::ranges::any_of(
      selected.probes, [](const Run& run) { return !run.context.offer.empty(); });
  if (selection.offer_files.empty() && !any_names_an_offer) return selected;
  CatalogOffers catalogs = read_catalogs(selection.offer_files);
  if (selection.offer_files.empty()) {
    keep_offers_of(selected.probes, catalogs.offers);
    for (const Offer& offer : catalogs.offers)
      if (auto odd = odd_fetched_price(offer)) catalogs.warnings.push_back(*std::move(odd));
  }
  selected.offers.insert(selected.offers.end(), catalogs.offers.begin(), catalogs.offers.end());
  selected.warnings = std::move(catalogs.warnings);
  return selected;
}

SelectedRuns select_runs(const Store& store, const RunSelection& selection) {
  SelectedRuns selected = runs_of(store, selection);
  if (!selected.probes.empty()) return selected;
  const std::string sweep = selected_sweep(store, selection);
  throw Error(ExitCode::some_failed,
              sweep.empty() ? "there are no probes yet; run lapcast probe or lapcast sweep first"
                            : fmt::format("sweep {} has no probes yet; run lapcast sweep, or use "
                                          "--all for single probes",
                                          printable(sweep)));
}

SelectedRuns selected_for(const Store& store, const RankRequest& request) {
  SelectedRuns selected = select_runs(store, request.selection);
  if (!request.with_transfer) return selected;
  FleetLookup fleets(store);
  const std::string folder = selected.sweep ? selected.sweep->folder : request.selection.folder;
  selected.before =
      before_trainings(selected.probes, store.runs({.folder = folder, .own = true}), fleets);
  return selected;
}

RequestedPlan plan_for(const Run& probe, std::optional<std::int64_t> epochs,
                       const RankRequest& request, const LearnedBySettings& learned) {
  RequestedPlan plan = request.plan;
  plan.epochs = epochs.value_or(0);
  return request.same_epochs ? plan : with_learned_epochs(plan, probe, learned);
}

RankResult rank_runs(const Store& store, const RankRequest& request) {
  RunForecaster forecaster = request.alone ? RunForecaster() : RunForecaster(store);
  forecaster.wish(request.conditions);
  forecaster.take(request.preferences.method);
  return rank_selected(
      selected_for(store, request), request,
      [&](const Run& run, const RequestedPlan& plan) { return forecaster.forecast(run, plan); });
}

RankResult rank_selected(SelectedRuns found, const RankRequest& request,
                         const ForecastOfRun& forecast) {
  RankResult result{std::move(found), {}};
  Preferences preferences = request.preferences;
  if (request.marginal)
    for (Offer& offer : result.selected.offers) offer.price = marginal_price(offer);
  const auto costs_anything = [](const Offer& offer) { return offer.price.per_hour > Money{}; };
  if (std::ranges::none_of(result.selected.offers, costs_anything)) {
    add_free_offers(result.selected);
    if (!is_by_energy(preferences.by)) preferences.by = Objective::time;
  }
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
  std::map<std::string, std::string> idle_gpus;  // by candidate
  std::mutex mutex;                              // of idle_gpus
  const ForecastOfRun noting = [&](const Run& run, const RequestedPlan& plan) {
    Assessment assessment = forecast(run, plan);
    const std::lock_guard lock(mutex);
    if (assessment.profile && !assessment.profile->idle_gpus.empty())
      idle_gpus[candidate_name(run.context)] = assessment.profile->idle_gpus;
    return assessment;
  };
  ProbesByBatch by_batch = by_batch_size(selected);
  result.mixes_batch_sizes =
      by_batch.size() > 1 && !request.per_batch && !all_at_learned_epochs(selected, request);
  for (const auto& [batch_size, probes] : groups_of(std::move(by_batch), request.per_batch)) {
    for (const auto& number : epochs) {
      RankedRuns ranked{.batch_size = batch_size, .epochs = number};
      const auto candidates =
          candidates_of_probes(probes, number, request, selected, noting, meter);
      ranked.ranking = rank(candidates, selected.offers, preferences);
      ranked.search = search_cost(probes, candidates, selected, preferences.spot);
      result.rankings.push_back(std::move(ranked));
    }
  }
  result.notes = notes_on_hardware(selected.probes);
  add_idle_gpus(result.notes, idle_gpus);
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
