#include "fleet/rent_fleet.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>
#include <variant>

#include "core/units.h"
#include "machine/ordered_hardware.h"

namespace lapcast {
namespace {

constexpr std::pair<std::string_view, std::string_view> kProviders[] = {
    {"gcloud", "gcp"},    {"aws", "aws"},   {"lambda", "lambda"},
    {"runpod", "runpod"}, {"vast", "vast"}, {"azure", "azure"}};

/// Says how far above the price of the list a machine may be: prices change by the day.
constexpr double kPriceMargin = 1.1;

constexpr const char* kHead =
    "# Machines to rent: lapcast sweep THIS-FILE --search-budget 2USD -- PROGRAM. This file alone\n"
    "# never spends anything. All keys: lapcast help fleet-file. Adapters, credentials and prices\n"
    "# now: lapcast fleet check THIS-FILE\n"
    "\n"
    "[rent]\n"
    "max_time = \"20m\"      # of one machine, from its request on; then it is given back\n"
    "boot_limit = \"6m\"     # from the request to the first login\n"
    "at_once = 4           # machines, at most\n";

/// Returns a name for a fleet file: "rtx-4090".
std::string plain_name(std::string_view text) {
  std::string name;
  for (const char c : text) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.')
      name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    else if (!name.empty() && name.back() != '-')
      name += '-';
  }
  while (name.ends_with('-')) name.pop_back();
  return name;
}

RentableMachine machine_of(const Offer& offer, const std::string& adapter, const std::string& gpu) {
  return {plain_name(gpu), adapter,    offer.machine_type, offer.region,     false,
          offer.price,     offer.name, offer.as_of,        offer.accelerator};
}

std::string toml_text(std::string_view text) {
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' || c == '\\' ? "\\" : "").append(1, c);
  return result + "\"";
}

std::string machine_text(const RentableMachine& machine) {
  std::string text = fmt::format("\n[[machine]]\nname = {}\n", toml_text(machine.name));
  if (machine.offer.empty()) {
    text += fmt::format("price = \"{}\"   # USD per hour, as {} says\n",
                        exact_decimal(machine.price.per_hour), machine.by);
    if (!machine.gpu.empty()) text += fmt::format("gpu = {}\n", toml_text(machine.gpu));
    if (machine.gpus > 1) text += fmt::format("gpus = {}\n", machine.gpus);
    if (machine.vcpus) text += fmt::format("vcpus = {}\n", *machine.vcpus);
  } else {
    text += fmt::format("offer = {}   # {} an hour on {}\n", toml_text(machine.offer),
                        dollar_text(machine.price.per_hour), machine.as_of);
  }
  text += fmt::format("[machine.rent]\nby = {}\ntype = {}\n", toml_text(machine.by),
                      toml_text(machine.type));
  if (!machine.region.empty()) text += fmt::format("region = {}\n", toml_text(machine.region));
  if (machine.spot) text += "spot = true\n";
  if (machine.egress)
    text += fmt::format("egress_usd_per_gb = \"{}\"   # USD per GB that is fetched, as {} says\n",
                        exact_decimal(*machine.egress), machine.by);
  return text + fmt::format("max_price = \"{}\"   # dearer machines are given back at once\n",
                            in_whole_cents(scaled(machine.price.per_hour, kPriceMargin)));
}

}  // namespace

std::string in_whole_cents(Money amount) {
  const std::int64_t cents = (amount.nanos() + 9'999'999) / 10'000'000;
  return fmt::format("{}.{:02}", cents / 100, cents % 100);
}

std::string catalog_provider_of(const std::string& adapter) {
  for (const auto& [name, provider] : kProviders)
    if (name == adapter) return std::string(provider);
  return {};
}

std::vector<RentableMachine> cheapest_machines(std::span<const Offer> offers,
                                               const std::vector<std::string>& adapters,
                                               const std::vector<std::string>& gpus,
                                               std::vector<std::string>& lacking) {
  std::vector<RentableMachine> machines;
  for (const std::string& gpu : gpus) {
    const Offer* best = nullptr;
    std::string by;
    for (const Offer& offer : offers) {
      if (offer.accelerator_count != 1 || !is_gpu_model(gpu, offer.accelerator)) continue;
      if (!std::holds_alternative<OnDemand>(offer.terms)) continue;
      const auto adapter = std::ranges::find(adapters, offer.provider, catalog_provider_of);
      if (adapter == adapters.end() || (best != nullptr && best->price <= offer.price)) continue;
      best = &offer;
      by = *adapter;
    }
    if (best == nullptr)
      lacking.push_back(gpu);
    else
      machines.push_back(machine_of(*best, by, gpu));
  }
  return machines;
}

std::vector<RentableMachine> cheapest_machines(const std::vector<AdapterOffer>& offers,
                                               const std::string& adapter,
                                               const std::vector<std::string>& gpus,
                                               std::vector<std::string>& lacking) {
  std::vector<RentableMachine> machines;
  const auto add = [&](const std::string& name, auto is_wanted) {
    const AdapterOffer* best = nullptr;
    for (const AdapterOffer& offer : offers) {
      if (!offer.price || offer.spot || offer.available == false || !is_wanted(offer)) continue;
      if (best == nullptr || *offer.price < *best->price) best = &offer;
    }
    if (best != nullptr)
      machines.push_back({plain_name(name), adapter, best->type, best->region, false, *best->price,
                          "", "", best->gpu, best->vcpus,
                          static_cast<int>(best->gpu_count.value_or(1)), best->egress});
    return best != nullptr;
  };
  for (const std::string& gpu : gpus)
    if (!add(gpu, [&](const AdapterOffer& offer) {
          return offer.gpu_count.value_or(1) == 1 && !offer.gpu.empty() &&
                 is_gpu_model(gpu, offer.gpu);
        }))
      lacking.push_back(gpu);
  std::set<std::string> types;
  for (const AdapterOffer& offer : offers)
    if (gpus.empty() && types.insert(offer.type).second)
      add(offer.type, [&](const AdapterOffer& other) { return other.type == offer.type; });
  return machines;
}

std::string rent_fleet_text(const std::vector<RentableMachine>& machines) {
  std::string text = kHead;
  for (const RentableMachine& machine : machines) text += machine_text(machine);
  return text;
}

}  // namespace lapcast
