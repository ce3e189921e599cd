#include "formats/gcp_machines.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <string_view>

#include "core/units.h"

namespace lapcast {
namespace {

/// Says to how large an N1 machine so many accelerators can be attached
/// (cloud.google.com/compute/docs/gpus).
struct Attachable {
  std::string_view accelerator;
  int count = 0;
  double most_vcpus = 0;
};

constexpr Attachable kAttachables[] = {
    {"T4", 1, 48},   {"T4", 2, 48},   {"T4", 4, 96},   {"P4", 1, 24},   {"P4", 2, 48},
    {"P4", 4, 96},   {"P100", 1, 16}, {"P100", 2, 32}, {"P100", 4, 64}, {"V100", 1, 12},
    {"V100", 2, 24}, {"V100", 4, 48}, {"V100", 8, 96}};

const Attachable* find_attachable(std::string_view accelerator, double count) {
  const auto* const found = std::ranges::find_if(kAttachables, [&](const Attachable& known) {
    return known.accelerator == accelerator && known.count == count;
  });
  return found == std::end(kAttachables) ? nullptr : found;
}

bool begins_with_any(std::string_view type, std::initializer_list<std::string_view> beginnings) {
  return std::ranges::any_of(beginnings, [&](auto begin) { return type.starts_with(begin); });
}

}  // namespace

GcpMachines::Row GcpMachines::take(ListedMachine& machine) {
  const std::string_view type = machine.machine_type;
  if (type.empty() && machine.accelerator.starts_with("tpu-")) {
    machine.machine_type = machine.accelerator;
    return Row::offer;
  }
  if (machine.accelerator.empty() && begins_with_any(type, {"a2-", "a3-", "a4-", "g2-", "g4-"}))
    return Row::part_of_machine;
  const auto on_demand = number_in(machine.on_demand);
  const Attachable* const attachable =
      find_attachable(machine.accelerator, number_in(machine.accelerator_count).value_or(0));
  const bool is_machine = machine.accelerator.empty() &&
                          begins_with_any(type, {"n1-standard-", "n1-highmem-", "n1-highcpu-"});
  const bool is_accelerator = type.empty() && attachable != nullptr;
  if (on_demand && *on_demand > 0 && (is_machine || is_accelerator)) {
    const auto text = [](std::string_view cell) { return std::string(cell); };
    Part part{text(is_machine ? type : machine.accelerator),
              text(machine.accelerator_count),
              text(machine.region),
              text(machine.date),
              text(machine.vcpus),
              text(machine.memory_gib),
              text(machine.accelerator_memory_mib),
              *on_demand,
              std::max(0.0, number_in(machine.spot).value_or(0))};
    Zone& zone = zones_[text(machine.zone)];
    if (is_accelerator) {
      zone.accelerators.insert_or_assign({part.name, attachable->count}, std::move(part));
      return Row::accelerator;
    }
    zone.machines.push_back(std::move(part));
  }
  return Row::offer;
}

void GcpMachines::for_each_pair(const std::function<void(const ListedMachine&)>& call) const {
  for (const auto& [name, zone] : zones_)
    for (const Part& machine : zone.machines)
      for (const auto& [key, accelerator] : zone.accelerators) {
        const auto vcpus = number_in(machine.vcpus);
        if (vcpus && *vcpus <= find_attachable(key.first, key.second)->most_vcpus)
          call_with_pair(machine, accelerator, call);
      }
}

void GcpMachines::call_with_pair(const Part& machine, const Part& accelerator,
                                 const std::function<void(const ListedMachine&)>& call) {
  const std::string on_demand = fmt::format("{:.9f}", machine.on_demand + accelerator.on_demand);
  const bool has_spot = machine.spot > 0 && accelerator.spot > 0;
  const std::string spot =
      has_spot ? fmt::format("{:.9f}", machine.spot + accelerator.spot) : std::string();
  ListedMachine both;
  both.machine_type = machine.name;
  both.region = machine.region;
  both.date = std::min(machine.date, accelerator.date);
  both.accelerator = accelerator.name;
  both.accelerator_count = accelerator.count;
  both.vcpus = machine.vcpus;
  both.memory_gib = machine.memory_gib;
  both.accelerator_memory_mib = accelerator.accelerator_memory_mib;
  both.on_demand = on_demand;
  both.spot = spot;
  call(both);
}

}  // namespace lapcast
