#include "fleet/worker_gpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <variant>

#include "lap/lap_log_format.h"

namespace lapcast {
namespace {

/// Returns the workers on each of so many nodes, the fullest one's.
int workers_of_node(int workers, int nodes) {
  return (workers + nodes - 1) / nodes;
}

const Place& place_of(const FleetMachine& machine) {
  return machine.place_setup.place;
}

/// Returns the GPUs of each node that are paid; 0 = the whole node.
int paid_gpus(const FleetMachine& machine, const SettingValues& settings) {
  if (machine.gpus == 0 || !machine.offer) return 0;
  if (asks_for_whole_nodes(place_of(machine))) return 0;
  if (is_queued(place_of(machine))) return gpus_asked_of(place_setup_for(machine, settings).place);
  const bool is_owned = std::holds_alternative<Owned>(machine.offer->terms);
  const int workers = is_owned ? stated_workers(settings).value_or(0) : 0;
  return workers_of_node(workers, nodes_of(place_of(machine)));
}

std::string part_text(const PaidPart& part) {
  std::string text = part.nodes > 1 ? fmt::format("{} nodes", part.nodes) : "";
  if (part.gpus > 0)
    text += fmt::format("{}{} of {} GPUs", text.empty() ? "" : ", ", part.gpus, part.of_gpus);
  return text;
}

}  // namespace

std::optional<int> stated_workers(const SettingValues& settings) {
  const auto setting = settings.find(kWorkersSetting);
  if (setting == settings.end()) return std::nullopt;
  const auto count = parse_count(setting->second, kMostWorkers);
  if (!count || *count == 0) return std::nullopt;
  return static_cast<int>(*count);
}

int gpus_of(const FleetMachine& machine) {
  const int asked = gpus_asked_of(place_of(machine));
  return nodes_of(place_of(machine)) * (asked > 0 ? asked : machine.gpus);
}

std::vector<std::string> default_workers(const FleetMachine& machine) {
  const int gpus = gpus_of(machine);
  std::vector<std::string> numbers;
  for (int count = 1; count < gpus; count *= 2) numbers.push_back(std::to_string(count));
  if (gpus > 0) numbers.push_back(std::to_string(gpus));
  return numbers;
}

std::optional<Reason> lacks_gpus(const FleetMachine& machine, const SettingValues& settings) {
  const int gpus = gpus_of(machine);
  const int workers = stated_workers(settings).value_or(0);
  if (gpus == 0 || workers <= gpus) return std::nullopt;
  const int nodes = nodes_of(place_of(machine));
  return Reason{fmt::format("{} workers need as many GPUs, and {}", workers,
                            nodes > 1 ? fmt::format("its {} nodes have {} together", nodes, gpus)
                                      : fmt::format("it has {}", gpus))};
}

PlaceSetup place_setup_for(const FleetMachine& machine, const SettingValues& settings) {
  PlaceSetup setup = machine.place_setup;
  if (const auto workers = stated_workers(settings))
    ask_for_at_most(setup.place, workers_of_node(*workers, nodes_of(setup.place)));
  return setup;
}

PaidPart paid_part(const FleetMachine& machine, const SettingValues& settings) {
  PaidPart part{nodes_of(place_of(machine)), paid_gpus(machine, settings), machine.gpus};
  if (part.gpus >= part.of_gpus) part.gpus = 0;
  if (part.gpus == 0) part.of_gpus = 0;
  return part;
}

void take_price(const FleetMachine& machine, const SettingValues& settings, RunContext& context) {
  context.offer = machine.offer_name;
  context.price = machine.offer;
  if (machine.every_node_type && context.price)
    context.price->name = context.price->machine_type = context.machine_type.name;
  const PaidPart part = paid_part(machine, settings);
  if (!context.price || part.is_whole()) return;
  Offer& offer = *context.price;
  const double share = part.share();
  offer.price.per_hour = scaled(offer.price.per_hour, share);
  offer.other.licence.per_hour = scaled(offer.other.licence.per_hour, share);
  offer.accelerator_count = static_cast<int>(std::lround(offer.accelerator_count * share));
  if (auto* owned = std::get_if<Owned>(&offer.terms)) {
    owned->purchase = scaled(owned->purchase, share);
    owned->power_kw *= share;
    owned->running_cost_per_year = scaled(owned->running_cost_per_year, share);
  }
  context.offer = offer.name = offer.machine_type =
      fmt::format("{} ({})", offer.name, part_text(part));
}

bool is_for_part(const Offer& offer) {
  return offer.provider == kFleetFileProvider &&
         (offer.name.ends_with(" GPUs)") || offer.name.ends_with(" nodes)"));
}

}  // namespace lapcast
