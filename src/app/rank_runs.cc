#include "app/rank_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "app/forecast_run.h"
#include "app/input_files.h"
#include "choose/assessment.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/sweep_state.h"

namespace lapcast {
namespace {

/// Returns whether a probe stands for a candidate rather than the one before it: a measured run
/// rather than an imported one, then one with more laps. The laps of all of them count in the
/// forecast, which takes init and validation from this one.
bool says_more(const Run& later, const Run& earlier) {
  if (was_imported(later.context) != was_imported(earlier.context))
    return was_imported(earlier.context);
  const auto laps = [](const Run& run) {
    return has_laps(run.outcome) ? laps_of(run).laps.size() : 0;
  };
  return laps(later) >= laps(earlier);
}

/// Returns whether a run may stand for its candidate. A run of an old log may, of whatever kind it
/// is: its machine cannot be probed any more.
bool may_be_ranked(const Run& run) {
  if (was_cut_off(run.outcome)) return false;
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

/// Returns whether the sweep was made on this store, so that only measured runs belong to it: an
/// import may name any sweep.
bool is_own_sweep(const Store& store, const std::string& id) {
  return std::ranges::any_of(store.sweeps(), [&](const Sweep& sweep) { return sweep.id == id; });
}

using Probes = std::vector<const Run*>;

/// Returns the probes that may be compared with each other: one group without a key, or one for
/// each batch size. Probes without laps have none; they stand with the largest.
std::vector<std::pair<std::optional<std::int64_t>, Probes>> groups_of(const SelectedRuns& selected,
                                                                      const RankRequest& request) {
  std::map<std::int64_t, Probes> by_batch;
  bool all_learned = request.epochs.empty();
  for (const Run& run : selected.probes) {
    by_batch[batch_size_of(run)].push_back(&run);
    all_learned = all_learned && with_learned_epochs({}, run, selected.learned).epochs > 0;
  }
  if (by_batch.size() == 1 || request.same_epochs || all_learned) {
    Probes together;
    for (const auto& [batch, probes] : by_batch)
      together.insert(together.end(), probes.begin(), probes.end());
    return {{std::nullopt, std::move(together)}};
  }
  if (const auto failed = by_batch.find(0); failed != by_batch.end()) {
    Probes& last = by_batch.rbegin()->second;
    last.insert(last.end(), failed->second.begin(), failed->second.end());
    by_batch.erase(failed);
  }
  if (by_batch.size() == 1) return {{std::nullopt, std::move(by_batch.begin()->second)}};
  return {by_batch.begin(), by_batch.end()};
}

std::vector<Candidate> candidates_of_probes(const Probes& probes,
                                            std::optional<std::int64_t> epochs,
                                            const RankRequest& request,
                                            const SelectedRuns& selected,
                                            RunForecaster& forecaster) {
  const auto waits =
      request.with_queue ? queue_waits(selected.runs) : std::map<std::string, Seconds>{};
  std::vector<Candidate> candidates;
  for (const Run* run : probes) {
    RequestedPlan plan = request.plan;
    plan.epochs = epochs.value_or(0);
    if (!request.same_epochs) plan = with_learned_epochs(plan, *run, selected.learned);
    candidates.push_back(candidate_of(*run, forecaster.forecast(*run, plan)));
    if (const auto wait = waits.find(run->context.machine_type.name); wait != waits.end())
      candidates.back().wait_s = wait->second.count();
    const auto learned = selected.learned.find(run->context.settings);
    if (learned != selected.learned.end()) candidates.back().accuracy = learned->second.accuracy;
  }
  return candidates;
}

/// Returns what the probes of a group cost, and what running each of its candidates would.
SearchCost search_cost(const Probes& probes, const std::vector<Candidate>& candidates,
                       const SelectedRuns& selected) {
  SearchCost cost;
  for (const Run& run : selected.runs) {
    const bool of_this_group = std::ranges::any_of(probes, [&](const Run* probe) {
      return candidate_name(probe->context) == candidate_name(run.context);
    });
    if (run.context.kind == RunKind::full || !of_this_group) continue;
    const auto price = cost_of_run(run, selected.offers);
    if (!price) continue;
    cost.probes = saturating_sum(cost.probes, *price);
    ++cost.probes_counted;
  }
  const Ranking without_limits = rank(candidates, selected.offers, Preferences{});
  std::map<const Candidate*, Money> cheapest;
  for (const Choice& choice : without_limits.chosen) {
    const auto [entry, is_new] =
        cheapest.try_emplace(choice.candidate.get(), choice.quote.total.mid);
    if (!is_new) entry->second = std::min(entry->second, choice.quote.total.mid);
  }
  for (const auto& [candidate, amount] : cheapest)
    cost.everything = saturating_sum(cost.everything, amount);
  cost.candidates_counted = cheapest.size();
  return cost;
}

}  // namespace

SelectedRuns select_runs(const Store& store, const RunSelection& selection) {
  RunFilter filter;
  if (!selection.sweep.empty())
    filter.sweep = selection.sweep;
  else if (const auto newest = store.newest_sweep(); newest && !selection.all)
    filter.sweep = newest->id;
  filter.own = filter.sweep && is_own_sweep(store, *filter.sweep);
  SelectedRuns selected;
  selected.runs = store.runs(filter);
  selected.probes = best_probes(selected.runs);
  if (selected.probes.empty())
    throw Error(ExitCode::some_failed,
                filter.sweep ? fmt::format("sweep {} has no probes yet; run lapcast sweep, or use "
                                           "--all for single probes",
                                           printable(*filter.sweep))
                             : "there are no probes yet; run lapcast probe or lapcast sweep first");
  selected.learned = learned_epochs(selected.runs);
  selected.offers = offers_of(selected.probes);
  const bool any_names_an_offer = std::ranges::any_of(
      selected.probes, [](const Run& run) { return !run.context.offer.empty(); });
  if (selection.offer_files.empty() && !any_names_an_offer) return selected;
  CatalogOffers catalogs = read_catalogs(selection.offer_files);
  selected.offers.insert(selected.offers.end(), catalogs.offers.begin(), catalogs.offers.end());
  selected.warnings = std::move(catalogs.warnings);
  return selected;
}

RankResult rank_runs(const Store& store, const RankRequest& request) {
  RankResult result{select_runs(store, request.selection), {}};
  RunForecaster forecaster = request.alone ? RunForecaster() : RunForecaster(store);
  forecaster.wish(request.conditions);
  std::vector<std::optional<std::int64_t>> epochs(request.epochs.begin(), request.epochs.end());
  if (epochs.empty()) epochs.emplace_back();
  const SelectedRuns& selected = result.selected;
  for (const auto& [batch_size, probes] : groups_of(selected, request)) {
    for (const auto& number : epochs) {
      RankedRuns ranked{.batch_size = batch_size, .epochs = number};
      const auto candidates = candidates_of_probes(probes, number, request, selected, forecaster);
      ranked.ranking = rank(candidates, selected.offers, request.preferences);
      ranked.search = search_cost(probes, candidates, selected);
      result.rankings.push_back(std::move(ranked));
    }
  }
  return result;
}

const Run* first_choice(const RankedRuns& ranked, const SelectedRuns& selected) {
  if (ranked.ranking.chosen.empty()) return nullptr;
  const std::string& id = ranked.ranking.chosen.front().candidate->run_id;
  const auto run = std::ranges::find_if(selected.probes,
                                        [&](const Run& probe) { return probe.context.id == id; });
  return run == selected.probes.end() ? nullptr : &*run;
}

Winner winner_of(const Store& store, const RankRequest& request) {
  if (request.epochs.size() > 1)
    throw Error(ExitCode::usage,
                "several numbers of epochs have not one winner: give --epochs one");
  const RankResult result = rank_runs(store, request);
  if (result.rankings.size() > 1)
    throw Error(ExitCode::usage,
                "batch sizes are ranked apart, so there is not one winner: add "
                "--same-epochs, or probe with `lapcast sweep --find-epochs`");
  const RankedRuns& ranked = result.rankings.front();
  const Run* run = first_choice(ranked, result.selected);
  if (run == nullptr)
    throw Error(ExitCode::some_failed, "nothing could be ranked; lapcast rank says why");
  return {*run, ranked.ranking.chosen.front(), ranked.ranking.expected_regret,
          result.selected.warnings};
}

std::vector<std::string> program_changes(const Store& store, std::span<const Run> probes) {
  std::vector<std::string> lines;
  std::map<std::string, std::vector<RunContext>> by_sweep;
  for (const Run& probe : probes)
    if (!was_imported(probe.context) && !probe.context.sweep.empty())
      by_sweep[probe.context.sweep].push_back(probe.context);
  for (const Sweep& sweep : store.sweeps()) {
    const auto own = by_sweep.find(sweep.id);
    if (own == by_sweep.end()) continue;
    const ProgramContent now = program_content(own->second);
    std::vector<std::string> changed = changed_since(sweep, now);
    // The sweep's other candidates may have files that these candidates do not have.
    std::erase_if(changed, [&](const std::string& name) { return !now.contains(name); });
    if (!changed.empty())
      lines.push_back(
          fmt::format("the program changed since sweep {}: {}; its forecasts are of the program as "
                      "it was",
                      sweep.id, short_list(changed)));
  }
  return lines;
}

}  // namespace lapcast
