#include "cli/named_machine.h"

#include <utility>

#include "cli/run_options.h"
#include "core/error.h"
#include "fleet/placeholders.h"
#include "query/input_files.h"

namespace lapcast {

NamedCandidate named_candidate(const NamedMachine& wanted, PlaceholderValues given,
                               const RunContext& common, const std::string& fix) {
  const Fleet fleet = with_nodes(read_fleet_file(wanted.fleet_file));
  FleetMachine machine = find_machine(fleet, wanted.name, wanted.fleet_file);
  for (const std::string& name : placeholders_of(common.program))
    if (const auto value = fleet.settings.find(name); value != fleet.settings.end())
      given.insert(*value);
  auto candidates = candidates_of({{machine}, {}}, given, common);
  if (candidates.size() != 1) throw Error(ExitCode::usage, fix);
  RunContext& context = candidates.front();
  if (!context.price && !context.offer.empty()) {
    const auto offers = load_offers(wanted.offer_files, wanted.own_prices);
    if (const Offer* offer = offer_of_name(offers, context.offer)) context.price = *offer;
  }
  return {std::move(machine), std::move(context)};
}

}  // namespace lapcast
