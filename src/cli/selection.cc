#include "cli/selection.h"
#include "cli/console.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "core/units.h"
#include "fleet/candidates.h"
#include "fleet/node_type_machines.h"
#include "posix/program_file.h"
#include "price/catalog.h"
#include "probe/ids_and_time.h"
#include "remote/slurm_queue.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

namespace fs = std::filesystem;

/// $LAPCAST_CATALOG, else beside the installed binary, else beside the sources it was built from.
std::vector<std::string> installed_catalogs() {
  std::error_code error;
  const fs::path binary = own_binary();
  std::vector<fs::path> folders;
  if (const char* folder = std::getenv("LAPCAST_CATALOG")) folders.emplace_back(folder);
  folders.push_back(binary.parent_path() / "../share/lapcast/catalog");
  folders.push_back(binary.parent_path() / "../catalog");
  std::vector<std::string> files;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder, error))
      if (entry.path().extension() == ".csv") files.push_back(entry.path().string());
    if (!files.empty()) break;
  }
  std::sort(files.begin(), files.end());
  return files;
}

bool names_an_offer(const Run& run) {
  return !run.context.offer.empty();
}

/// The forecast's mid; nothing for a run from which nothing can be forecast.
std::optional<Seconds> forecast_of(const Run& run) {
  const Assessment assessment = assess(run);
  if (!assessment.forecast) return std::nullopt;
  return assessment.forecast->total.mid;
}

/// Whether a probe says more of the same candidate than the one before it: one that was measured
/// here more than an imported one, and, as other work on a machine only ever slows a run, of two
/// forecasts the shorter.
bool says_more(const Run& later, const Run& earlier) {
  if (was_imported(later.context) != was_imported(earlier.context))
    return was_imported(earlier.context);
  const auto now = forecast_of(later);
  const auto before = forecast_of(earlier);
  return before && now ? *now < *before : !before;
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
  const auto ask = [](const SlurmPlace& place) {
    return node_types(*host_of(Place(place)), place.partition);
  };
  return with_node_types(fleet, ask);
}

std::vector<Offer> load_offers(const std::vector<std::string>& files) {
  std::vector<Offer> offers;
  const std::string now = utc_now().substr(0, 10);
  for (const std::string& file : files.empty() ? installed_catalogs() : files) {
    const Catalog catalog = parse_catalog(read_file(file, "catalog"), file, today());
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

std::vector<ValidationSource> validation_sources_in(const Store& store, std::span<const Run> runs) {
  std::set<std::string> programs;
  for (const Run& run : runs) programs.insert(shown_program(run.context));
  std::vector<ValidationSource> validation_sources;
  for (const RunSummary& summary : store.list()) {
    if (!summary.has_laps || !programs.contains(summary.program)) continue;
    const Run run = store.get(summary.id);
    for (ValidationSource& validation_source : validation_sources_of({&run, 1}))
      validation_sources.push_back(std::move(validation_source));
  }
  return validation_sources;
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
  selected.validation_sources = validation_sources_of(selected.runs);
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
