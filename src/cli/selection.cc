#include "cli/selection.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "app/forecast_run.h"
#include "cli/console.h"
#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/node_type_machines.h"
#include "price/catalog.h"
#include "probe/ids_and_time.h"
#include "probe/own_binary.h"
#include "remote/slurm_queue.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

struct CatalogText {
  std::string file;
  std::string csv;
};

std::vector<std::string> csv_files_in(const fs::path& folder) {
  std::error_code error;
  std::vector<std::string> files;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
  std::sort(files.begin(), files.end());
  return files;
}

std::vector<CatalogText> catalogs_in(const std::vector<std::string>& files) {
  std::vector<CatalogText> catalogs;
  for (const std::string& file : files) catalogs.push_back({file, read_file(file, "catalog")});
  return catalogs;
}

/// Returns the catalogs of $LAPCAST_CATALOG, else those installed beside the binary, else those
/// that are part of the binary.
std::vector<CatalogText> default_catalogs() {
  std::vector<std::string> files;
  if (const char* folder = std::getenv("LAPCAST_CATALOG")) files = csv_files_in(folder);
  if (files.empty()) files = csv_files_in(own_binary().parent_path() / "../share/lapcast/catalog");
  if (!files.empty()) return catalogs_in(files);
  std::vector<CatalogText> catalogs;
  for (const ShippedCatalog& shipped : shipped_catalogs())
    catalogs.push_back({std::string(shipped.file), std::string(shipped.csv)});
  return catalogs;
}

bool names_an_offer(const Run& run) {
  return !run.context.offer.empty();
}

/// Returns whether a probe says more of a candidate than the one before it: a run that was measured
/// on this machine more than an imported one, and, as other work on a machine only ever slows a
/// run, of two forecasts the shorter.
bool says_more(const Run& later, const Run& earlier) {
  if (was_imported(later.context) != was_imported(earlier.context))
    return was_imported(earlier.context);
  RunForecaster forecaster;  // it is the measurements that are compared
  const Assessment now = forecaster.forecast(later);
  const Assessment before = forecaster.forecast(earlier);
  if (!now.forecast || !before.forecast) return !before.forecast;
  return now.forecast->total.mid < before.forecast->total.mid;
}

/// A run of an old log is all that there is of its candidate: nothing can be probed there.
bool may_be_ranked(const Run& run) {
  return run.context.kind == RunKind::probe || !run.context.imported_from.empty();
}

/// One probe for each candidate: that which says most.
std::vector<Run> best_probes(const std::vector<Run>& runs) {
  std::map<std::pair<std::string, std::vector<std::string>>, Run> best;
  for (const Run& run : runs) {
    if (!may_be_ranked(run)) continue;
    if (std::holds_alternative<outcome::Interrupted>(run.outcome)) continue;
    Run& entry = best[{candidate_name(run.context), run.context.program}];
    if (entry.context.id.empty() || says_more(run, entry)) entry = run;
  }
  std::vector<Run> result;
  for (auto& [candidate, run] : best) result.push_back(std::move(run));
  return result;
}

/// A sweep that was made here has only what was measured here; an import may name any.
bool is_own_sweep(const Store& store, const std::string& id) {
  const std::vector<Sweep> sweeps = store.sweeps();
  return std::any_of(sweeps.begin(), sweeps.end(),
                     [&](const Sweep& sweep) { return sweep.id == id; });
}

}  // namespace

void Selection::add_to(CLI::App& app) {
  auto* id = app.add_option("--sweep", sweep, "a sweep by its id [the newest]")->type_name("ID");
  app.add_flag("--all", all, "all runs in the store, of any sweep or none")->excludes(id);
  app.add_option("--offers", offer_files, "catalog of prices (docs/catalog.md), beside the fleet's")
      ->type_name("FILE.csv")
      ->take_all();
}

std::string read_file(const std::string& file, const std::string& what) {
  std::error_code ignored;
  if (fs::is_directory(file, ignored))
    throw Error(ExitCode::bad_input, fmt::format("the {} {} is a folder", what, printable(file)));
  std::ifstream stream(file, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  if (!stream.is_open() || stream.bad())
    throw Error(ExitCode::bad_input, fmt::format("cannot read the {} {}", what, printable(file)));
  return text.str();
}

Fleet read_fleet_file(const std::string& file) {
  return parse_fleet(read_file(file, "fleet file"), file);
}

Fleet with_nodes(const Fleet& fleet) {
  return with_node_types(fleet, node_types);
}

std::vector<Offer> load_offers(const std::vector<std::string>& files) {
  std::vector<Offer> offers;
  const std::string now = utc_now().substr(0, 10);
  for (const auto& [file, csv] : files.empty() ? default_catalogs() : catalogs_in(files)) {
    const Catalog catalog = parse_catalog(csv, file, today());
    for (const RejectedRow& row : catalog.rejected)
      say("warning: {}:{}: {}; row left out", printable(file), row.line, row.reason.text);
    std::size_t old = 0;
    for (const Offer& offer : catalog.offers) old += is_old(offer, now) ? 1 : 0;
    if (old > 0 && !files.empty())
      say("warning: {}: {} of {} prices are older than a year", printable(file), old,
          catalog.offers.size());
    offers.insert(offers.end(), catalog.offers.begin(), catalog.offers.end());
  }
  return offers;
}

Selected select(const Globals& globals, const Selection& selection) {
  const Store store = globals.open_existing_store();
  RunFilter filter;
  if (!selection.sweep.empty()) {
    filter.sweep = selection.sweep;
  } else if (!selection.all) {
    if (const auto newest = store.newest_sweep()) filter.sweep = newest->id;
  }
  filter.own = filter.sweep && is_own_sweep(store, *filter.sweep);
  Selected selected;
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
  const bool want_catalog =
      !selection.offer_files.empty() ||
      std::any_of(selected.probes.begin(), selected.probes.end(), names_an_offer);
  if (want_catalog)
    for (Offer& offer : load_offers(selection.offer_files))
      selected.offers.push_back(std::move(offer));
  return selected;
}

}  // namespace lapcast
