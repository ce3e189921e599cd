#include "campaign/rent_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/error.h"
#include "core/units.h"
#include "fleet/rent_fleet.h"
#include "lease/lease_cost.h"
#include "query/input_files.h"

namespace lapcast {
namespace {

OrderedHardware hardware_of(const Offer& offer) {
  return {offer.accelerator, offer.accelerator.empty() ? 0 : std::max(offer.accelerator_count, 1),
          offer.accelerator_memory_bytes.value_or(0), offer.vcpus.value_or(0),
          offer.memory_bytes.value_or(0)};
}

MachineToRent machine_to_rent(const FleetMachine& machine, std::span<const Offer> offers) {
  MachineToRent wanted{{machine.rent->order, machine.rent->zones}};
  LeaseOrder& order = wanted.order.lease;
  if (const Offer* offer = offer_of(machine, offers)) {
    order.price = offer->price;
    order.billing = offer->billing;
    if (!order.egress && offer->other.egress_per_gb > Money())
      order.egress = offer->other.egress_per_gb;
    if (!machine.offer) wanted.hardware = hardware_of(*offer);
  }
  if (!machine.rent->cuda.empty() || machine.rent->free_disk_bytes > 0) {
    if (!wanted.hardware) wanted.hardware.emplace();
    wanted.hardware->cuda = machine.rent->cuda;
    wanted.hardware->free_disk_bytes = machine.rent->free_disk_bytes;
  }
  if (order.most.per_hour == Money()) order.most = order.price;
  if (order.price.per_hour == Money()) order.price = order.most;
  if (order.most.per_hour == Money())
    throw Error(ExitCode::bad_input,
                fmt::format("machine '{}': what it may cost is not known; add max_price = \"0.40\" "
                            "(USD per hour) to its [machine.rent], or an offer or a price",
                            printable(machine.type.name)));
  return wanted;
}

}  // namespace

const Offer* offer_of(const FleetMachine& machine, std::span<const Offer> offers) {
  if (machine.offer) return &*machine.offer;
  if (machine.offer_name.empty()) return nullptr;
  if (const Offer* named = offer_of_name(offers, machine.offer_name)) return named;
  const auto same = std::ranges::find(offers, machine.offer_name, &Offer::machine_type);
  return same == offers.end() ? nullptr : &*same;
}

Money RentPlan::at_most() const {
  Money sum;
  for (const MachineToRent& machine : machines)
    sum = saturating_sum(sum, worst_cost(machine.order.lease));
  return sum;
}

RentPlan rent_plan_of(const Fleet& fleet, std::span<const Offer> offers) {
  RentPlan plan;
  plan.at_once = static_cast<std::size_t>(fleet.rented_at_once);
  for (const FleetMachine& machine : fleet.machines)
    if (machine.rent) plan.machines.push_back(machine_to_rent(machine, offers));
  return plan;
}

RentPlan read_rent_plan(const Fleet& fleet, const std::vector<std::string>& offer_files,
                        const std::string& own_prices) {
  const bool names_offers = std::ranges::any_of(fleet.machines, [](const FleetMachine& machine) {
    return machine.rent && !machine.offer_name.empty();
  });
  if (!names_offers) return rent_plan_of(fleet, {});
  return rent_plan_of(fleet, read_catalogs(offer_files, own_prices).offers);
}

void refuse_without_budget(const RentPlan& plan, const std::optional<Money>& budget,
                           const std::string& fleet_file, const std::string& option) {
  if (plan.is_empty() || budget) return;
  Seconds longest{0};
  Money egress;
  for (const MachineToRent& machine : plan.machines) {
    const LeaseOrder& order = machine.order.lease;
    longest = std::max(longest, order.term);
    egress = saturating_sum(egress, egress_cost(order, order.may_fetch));
  }
  // In whole cents the option that is named pays for all.
  throw Error(
      ExitCode::usage,
      fmt::format("{} rents {} for at most {} each, {} if all run to their deadline{}; add "
                  "{} {}USD",
                  printable(fleet_file),
                  plan.machines.size() == 1 ? std::string("1 machine")
                                            : fmt::format("{} machines", plan.machines.size()),
                  format_duration(longest), dollar_text(plan.at_most()),
                  egress > Money() ? fmt::format(", {} of it for the egress of {} each",
                                                 dollar_text(egress), gigabyte_text(kFirstFetch))
                                   : std::string(),
                  option, in_whole_cents(plan.at_most())));
}

void refuse_rented(const Fleet& fleet, const std::string& command) {
  const auto rented = std::ranges::find_if(
      fleet.machines, [](const FleetMachine& machine) { return machine.rent.has_value(); });
  if (rented == fleet.machines.end()) return;
  throw Error(ExitCode::usage,
              fmt::format("{} rents no machines, and '{}' has to be rented; sweep, verify, probe "
                          "and offload do that",
                          command, printable(rented->type.name)));
}

}  // namespace lapcast
