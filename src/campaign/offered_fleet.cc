#include "campaign/offered_fleet.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "fleet/fleet_file.h"
#include "fleet/rent_fleet.h"
#include "fleet/worker_gpus.h"
#include "lease/adapter.h"

namespace lapcast {
namespace {

constexpr std::chrono::milliseconds kLookEvery{50};

/// Returns what an adapter rents, and why it tells nothing.
Result<std::vector<RentableMachine>> machines_of(const AdapterCall& call, const std::string& by,
                                                 const WantedGpus& wanted) {
  auto offers = call.answer().and_then(parse_offers);
  if (!offers) return because(fmt::format("{}: {}", by, offers.error().text));
  std::erase_if(*offers, [&](const AdapterOffer& offer) {
    const double gpus = offer.gpu.empty() ? 0 : offer.gpu_count.value_or(1);
    return gpus > (wanted.several ? kMostGpusOfNode : 1) || (wanted.any && gpus < 1);
  });
  std::vector<std::string> lacking;
  std::vector<RentableMachine> machines = cheapest_machines(*offers, by, {}, lacking);
  for (RentableMachine& machine : machines) machine.name = fmt::format("{}-{}", by, machine.name);
  return machines;
}

}  // namespace

OfferedFleet offered_fleet(const std::vector<std::string>& adapters, const WantedGpus& wanted) {
  OfferedFleet offered;
  const std::vector<std::string> names = adapters.empty() ? adapter_names() : adapters;
  std::vector<std::unique_ptr<AdapterCall>> calls;
  for (const std::string& name : names) {
    const auto file = find_adapter(name);
    if (!file) throw Error(ExitCode::usage, file.error().text);
    calls.push_back(std::make_unique<AdapterCall>(*file, "offers", offers_request({}, {})));
  }
  std::vector<RentableMachine> machines;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    while (!calls[i]->wait(kLookEvery)) {
    }
    const auto found = machines_of(*calls[i], names[i], wanted);
    if (found)
      machines.insert(machines.end(), found->begin(), found->end());
    else
      offered.silent.push_back(printable(found.error().text));
  }
  if (machines.empty())
    throw Error(ExitCode::system_failed,
                fmt::format("no adapter rents a machine now{}{}; lapcast help rent.md says how to "
                            "set one up",
                            offered.silent.empty() ? "" : ": ", fmt::join(offered.silent, "; ")));
  offered.fleet = parse_fleet(rent_fleet_text(machines), "what adapters offer");
  return offered;
}

}  // namespace lapcast
