#include "query/selected_runs.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "core/error.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "query/current_offers.h"
#include "query/input_files.h"
#include "query/prices_now.h"
#include "query/run_set.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

/// Returns whether a run can be used for its candidate, with a forecast or the reason why it has
/// none. A run of any kind from an old log can: its machine cannot be probed any more.
bool may_be_ranked(const Run& run) {
  if (std::holds_alternative<outcome::Interrupted>(run.outcome)) return false;
  return run.context.kind == RunKind::probe || !run.context.imported_from.empty();
}

std::vector<Run> best_probes(const std::vector<Run>& runs) {
  BetterSource sources;
  std::map<CandidateKey, const Run*> best;
  for (const Run& run : runs) {
    if (!may_be_ranked(run)) continue;
    const Run*& entry = best[candidate_key(run.context)];
    if (entry == nullptr || sources.is_better(run, *entry)) entry = &run;
  }
  std::vector<Run> result;
  for (const auto& [candidate, run] : best) result.push_back(*run);
  return result;
}

void append(std::vector<Offer>& offers, std::vector<Offer> more) {
  offers.insert(offers.end(), std::make_move_iterator(more.begin()),
                std::make_move_iterator(more.end()));
}

/// Finds the prices of the probes as they are now: of the fleet files, of catalogs that are named,
/// and of those that came with lapcast.
void take_prices(const Store& store, const RunSelection& selection, SelectedRuns& selected) {
  selected.warnings = take_fleet_prices(store, selected.probes);
  selected.offers = offers_of(selected.probes);
  const bool any_names_an_offer = std::ranges::any_of(selected.probes, [](const Run& run) {
    return !run.context.offer.empty() && !run.context.price;
  });
  const std::size_t own = selected.offers.size();  // what follows is of catalogs
  if (!selection.offer_files.empty() || any_names_an_offer) {
    CatalogOffers catalogs = read_catalogs(selection.offer_files, selection.own_prices);
    std::ranges::move(catalogs.warnings, std::back_inserter(selected.warnings));
    // Of the prices that lapcast comes with, only a few concern a ranking.
    if (selection.offer_files.empty())
      std::erase_if(catalogs.offers, [names = OfferNames(selected.probes)](const Offer& offer) {
        return !names.include(offer);
      });
    append(selected.offers, std::move(catalogs.offers));
  }
  if (!selection.no_catalog) {
    FoundPrices found = catalog_prices(selected.probes, selected.offers, selection.own_prices);
    append(selected.offers, std::move(found.offers));
    selected.price_notes = std::move(found.notes);
  }
  if (selection.offer_files.empty())
    for (const Offer& offer : std::span(selected.offers).subspan(own))
      if (auto odd = odd_fetched_price(offer)) selected.warnings.push_back(*std::move(odd));
  std::ranges::move(age_of_prices(selected.probes, selected.offers),
                    std::back_inserter(selected.price_notes));
}

}  // namespace

bool BetterSource::is_better(const Run& later, const Run& earlier) {
  const bool was_earlier_imported = was_imported(earlier.context);
  if (was_imported(later.context) != was_earlier_imported) return was_earlier_imported;
  return laps(later) >= laps(earlier);
}

std::size_t BetterSource::laps(const Run& run) {
  const auto [known, is_new] = laps_.try_emplace(&run);
  if (is_new && has_laps(run.outcome)) known->second = laps_of(run)->laps.size();
  return known->second;
}

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

SelectedRuns runs_of(const Store& store, const RunSelection& selection) {
  RunFilter filter;
  SelectedRuns selected;
  if (const std::string id = selected_sweep(store, selection); !id.empty()) {
    filter.sweep = id;
    selected.sweep = store.find_sweep(id);
  }
  // A sweep made in this store has only measured runs: an import may name any sweep.
  filter.own = selected.sweep.has_value();
  selected.runs = selection.named.empty() ? store.runs(filter) : runs_named(store, selection.named);
  selected.probes = best_probes(selected.runs);
  selected.learned = learned_epochs(selected.runs);
  take_prices(store, selection, selected);
  return selected;
}

SelectedRuns select_runs(const Store& store, const RunSelection& selection) {
  SelectedRuns selected = runs_of(store, selection);
  if (!selected.probes.empty()) return selected;
  const std::string sweep = selected_sweep(store, selection);
  if (!sweep.empty() && selected.runs.empty() && !store.find_sweep(sweep))
    throw Error(ExitCode::some_failed,
                fmt::format("there is no sweep {}; lapcast sweeps lists them", printable(sweep)));
  throw Error(ExitCode::some_failed,
              sweep.empty() ? "there are no probes yet; run lapcast probe or lapcast sweep first"
                            : fmt::format("sweep {} has no probes yet; run lapcast sweep, or use "
                                          "--all for single probes",
                                          printable(sweep)));
}

}  // namespace lapcast
