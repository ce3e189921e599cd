#include "rank/offered_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <tuple>

#include "core/units.h"

namespace lapcast {
namespace {

/// Returns that a memory of the offer is too small, with what the program needs.
tl::unexpected<Reason> too_small(std::string_view memory, std::int64_t needed_bytes) {
  return because(fmt::format("less {} than the {} that the program used at home", memory,
                             format_bytes(needed_bytes)));
}

/// Returns the kind of an offer without an accelerator, or why it has no forecast.
Result<MachineKind> cpu_kind_of(const HomeMeasurement& home, const Offer& offer,
                                const ShortlistSize& size) {
  if (home.main_bytes && offer.memory_bytes && *offer.memory_bytes < *home.main_bytes)
    return too_small("main memory", *home.main_bytes);
  const auto known = size.cpus.find(offer.name);
  if (known != size.cpus.end()) return MachineKind{.cpu = known->second, .workers = home.workers()};
  const int workers = home.workers();
  if (home.cpu && offer.vcpus)
    return MachineKind{.cpu = CpuMachine{.threads = *offer.vcpus}, .workers = workers};
  return because("no accelerator: no ratio between machines with and without one holds");
}

/// Returns the kind of an offer, or why it has no forecast.
Result<MachineKind> kind_of_offer(const HomeMeasurement& home, const Offer& offer,
                                  const AcceleratorTable& table, const ShortlistSize& size) {
  if (offer.accelerator.empty()) return cpu_kind_of(home, offer, size);
  if (offer.accelerator_count != 1 && (home.on_workers.empty() || offer.accelerator_count < 1))
    return because("several accelerators: how the program scales is not known from one");
  const auto match = table.find(offer);
  if (!match) return because("its accelerator is in no table: a probe on it would help");
  if (!size.assume && !says_accelerators(home)) return because(kNoRatio);
  if (home.peak_bytes && accelerator_memory(offer, *match) < *home.peak_bytes)
    return too_small("memory", *home.peak_bytes);
  return MachineKind{match->accelerator, match->share, {}, offer.accelerator_count};
}

}  // namespace

void OfferedKinds::leave_out(const Offer& offer, const std::string& reason) {
  WithoutRow& row = without.try_emplace(reason, WithoutRow{reason, 0, offer.name}).first->second;
  ++row.offers;
}

bool says_accelerators(const HomeMeasurement& home) {
  return home.accelerator != nullptr || (home.flops && home.activations) ||
         std::ranges::any_of(home.probes,
                             [](const ProbeLap& probe) { return probe.accelerator != nullptr; });
}

OfferedKinds kinds_of(const HomeMeasurement& home, std::span<const Offer* const> offers,
                      const AcceleratorTable& table, const ShortlistSize& size) {
  OfferedKinds found;
  using Key = std::tuple<const AcceleratorSpec*, double, std::string, double, int>;
  std::map<Key, std::size_t> places;
  for (const Offer* offer : offers) {
    const auto kind = kind_of_offer(home, *offer, table, size);
    if (!kind) {
      found.leave_out(*offer, kind.error().text);
      continue;
    }
    const CpuMachine cpu = kind->cpu.value_or(CpuMachine{});
    const auto [place, is_new] = places.try_emplace(
        {kind->accelerator, kind->share, cpu.name, cpu.threads, kind->workers}, found.kinds.size());
    if (is_new) found.kinds.push_back({*kind, {}});
    found.kinds[place->second].offers.push_back(offer);
  }
  return found;
}

}  // namespace lapcast
