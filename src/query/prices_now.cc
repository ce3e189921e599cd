#include "query/prices_now.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <system_error>
#include <utility>
#include <variant>

#include "core/nearest_name.h"
#include "core/units.h"
#include "fleet/fleet.h"
#include "fleet/worker_gpus.h"
#include "price/catalog.h"
#include "price/quote.h"
#include "probe/ids_and_time.h"
#include "query/input_files.h"
#include "report/answer.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

/// Returns the entry of a machine: of a Slurm entry that stands for each kind of node, "NAME/KIND".
const FleetMachine* entry_of(const Fleet& fleet, const std::string& name) {
  const auto is_it = [&](const FleetMachine& machine) {
    return machine.type.name == name ||
           (machine.every_node_type && name.starts_with(machine.type.name + "/"));
  };
  const auto found = std::ranges::find_if(fleet.machines, is_it);
  return found == fleet.machines.end() ? nullptr : &*found;
}

/// Returns the name of a file as it is typed in a folder.
std::string name_in(const std::string& folder, const std::string& file) {
  const std::string name = std::filesystem::path(file).lexically_relative(folder).string();
  return name.empty() || name.starts_with("..") ? file : name;
}

std::string line_about(const Offer& offer) {
  return fmt::format("{} {} ({}{}, {})", printable(offer.machine_type), price_text(offer),
                     printable(offer.provider), offer.region.empty() ? "" : " " + offer.region,
                     offer.as_of);
}

}  // namespace

OfferNames::OfferNames(const std::vector<Run>& runs) {
  for (const Run& run : runs)
    sorted_.push_back(run.context.offer.empty() ? run.context.machine_type.name
                                                : run.context.offer);
  std::ranges::sort(sorted_);
}

bool OfferNames::include(const Offer& offer) const {
  return std::ranges::binary_search(sorted_, std::string_view(offer.machine_type)) ||
         std::ranges::binary_search(sorted_, std::string_view(offer.name));
}

std::vector<std::string> take_fleet_prices(const Store& store, std::vector<Run>& runs) {
  FleetLookup lookup(store);
  std::map<std::string, std::optional<Fleet>> fleets;  // by file; nothing = it cannot be read
  std::vector<std::string> problems;
  for (Run& run : runs) {
    const std::string file = was_imported(run.context) ? "" : lookup.file_of(run);
    std::error_code absent;
    if (file.empty() || !std::filesystem::exists(file, absent)) continue;
    const auto [known, is_new] = fleets.try_emplace(file);
    try {
      if (is_new) known->second = read_fleet_file(file, name_in(run.context.working_dir, file));
    } catch (const Error& error) {
      problems.push_back(fmt::format("prices are those of the sweep: {}", error.what()));
    }
    if (!known->second) continue;
    const FleetMachine* machine = entry_of(*known->second, run.context.machine_type.name);
    if (machine == nullptr) continue;
    const std::string spelled = run.context.offer;
    take_price(*machine, run.context.settings, run.context);
    // A sweep has the name of an offer in the spelling of its catalog.
    if (is_same_name(spelled, run.context.offer)) run.context.offer = spelled;
  }
  return problems;
}

FoundPrices catalog_prices(const std::vector<Run>& runs, const std::vector<Offer>& offers,
                           const std::string& own_prices) {
  std::set<std::string> unpriced;
  for (const Run& run : runs)
    if (run.context.offer.empty() && run.context.machine_type.name != kThisMachine &&
        offer_of(run, offers) == nullptr)
      unpriced.insert(run.context.machine_type.name);
  FoundPrices found;
  if (unpriced.empty()) return found;
  std::map<std::string, Offer> cheapest;
  for (Offer& offer : read_catalogs({}, own_prices).offers) {
    if (!unpriced.contains(offer.machine_type) || !std::holds_alternative<OnDemand>(offer.terms))
      continue;
    const auto [known, is_first] = cheapest.try_emplace(offer.machine_type, offer);
    if (!is_first && offer.price < known->second.price) known->second = std::move(offer);
  }
  std::vector<std::string> lines;
  for (auto& [name, offer] : cheapest) {
    lines.push_back(line_about(offer));
    found.offers.push_back(std::move(offer));
  }
  if (!lines.empty())
    found.notes.push_back(fmt::format(
        "{} of {} machine types have no price of their own and take the cheapest on demand of the "
        "catalog: {}; --no-catalog leaves it out",
        lines.size(), unpriced.size(), fmt::join(lines, ", ")));
  return found;
}

std::vector<std::string> age_of_prices(const std::vector<Run>& runs,
                                       const std::vector<Offer>& offers) {
  const std::string today = utc_now().substr(0, 10);
  const OfferNames names(runs);
  std::size_t used = 0, old = 0;
  const Offer* oldest = nullptr;
  for (const Offer& offer : offers) {
    if (!names.include(offer)) continue;
    ++used;
    if (!is_old(offer, today)) continue;
    ++old;
    if (oldest == nullptr || parse_date(offer.as_of) < parse_date(oldest->as_of)) oldest = &offer;
  }
  if (oldest == nullptr) return {};
  return {
      fmt::format("{} of {} prices {} older than a year, the oldest of {} ({}): look them up "
                  "before you decide by them",
                  old, used, old == 1 ? "is" : "are", oldest->as_of, printable(oldest->name))};
}

}  // namespace lapcast
