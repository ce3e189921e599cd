#include "formats/provider_prices.h"

#include <fmt/format.h>

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>

#include "core/error.h"

namespace lapcast {
namespace {

using PriceJson = nlohmann::json;

[[noreturn]] void refuse_prices(const std::string& what) {
  throw Error(ExitCode::bad_input, what);
}

/// Returns a member as text; empty where it is absent, or neither a text nor a number.
std::string cell_at(const PriceJson& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return {};
  if (found->is_string()) return found->get<std::string>();
  return found->is_number() ? found->dump() : std::string();
}

double number_at(const PriceJson& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

/// Returns a number of MiB in GiB; an empty text for 0.
std::string gib_text(double mib) {
  return mib > 0 ? fmt::format("{}", mib / 1024) : std::string();
}

std::string mib_text(double gib) {
  return gib > 0 ? fmt::format("{}", gib * 1024) : std::string();
}

/// Adds a price of Azure for a virtual machine with Linux: on demand, spot, or a reservation, whose
/// price is that of its whole term.
void add_azure(const PriceJson& item, const PriceSink& sink) {
  sink.count_row();
  const std::string product = cell_at(item, "productName");
  const std::string meter = cell_at(item, "meterName");
  const std::string service = cell_at(item, "serviceName");
  const std::string type = cell_at(item, "type");
  const std::string currency = cell_at(item, "currencyCode");
  if (!service.empty() ? service != "Virtual Machines" : product.find("Virtual Machines") != 0)
    return sink.refuse("not a virtual machine");
  if (product.ends_with("Windows")) return sink.refuse("with the license of Windows");
  if (meter.ends_with("Low Priority")) return sink.refuse("low priority: Azure ended it");
  if (!currency.empty() && currency != "USD") return sink.refuse("not in USD");
  ListedMachine machine;
  const std::string name = cell_at(item, "armSkuName"), region = cell_at(item, "armRegionName");
  const std::string date = cell_at(item, "effectiveStartDate");
  std::string price = cell_at(item, "retailPrice");
  machine.provider = "azure";
  machine.machine_type = name;
  machine.region = region;
  machine.date = date;
  machine.is_spot = meter.ends_with(" Spot");
  if (type == "Reservation") {
    const std::string term = cell_at(item, "reservationTerm");
    const int months = term == "1 Year" ? 12 : term == "3 Years" ? 36 : 0;
    if (months == 0) return sink.refuse("a reservation of another term than 1 or 3 years");
    price = fmt::format("{}", number_at(item, "retailPrice") / months);
    (months == 12 ? machine.one_year : machine.three_years) = price;
    return sink.add(machine);
  }
  if (type == "DevTestConsumption") return sink.refuse("for development and tests only");
  if (const std::string unit = cell_at(item, "unitOfMeasure"); !unit.empty() && unit != "1 Hour")
    return sink.refuse("not per hour");
  machine.on_demand = price;
  sink.add(machine);
}

/// Adds an offer of vast, whose lowest bid is the price of interruptible use.
void add_vast(const PriceJson& item, const PriceSink& sink) {
  sink.count_row();
  const auto rentable = item.find("rentable");
  if (rentable != item.end() && rentable->is_boolean() && !rentable->get<bool>())
    return sink.refuse("cannot be rented now");
  const std::string accelerator = cell_at(item, "gpu_name"), count = cell_at(item, "num_gpus");
  const std::string name = fmt::format("{}x {}", count, accelerator);
  const std::string region = cell_at(item, "geolocation");
  const std::string vcpus = cell_at(item, "cpu_cores_effective");
  const std::string memory = gib_text(number_at(item, "cpu_ram"));
  const std::string accelerator_memory = cell_at(item, "gpu_ram");
  const std::string price = cell_at(item, "dph_total"), bid = cell_at(item, "min_bid");
  ListedMachine machine;
  machine.provider = "vast";
  if (!accelerator.empty()) machine.machine_type = name;
  machine.region = region;
  machine.accelerator = accelerator;
  machine.accelerator_count = count;
  machine.vcpus = vcpus;
  machine.memory_gib = memory;
  machine.accelerator_memory_mib = accelerator_memory;
  machine.on_demand = price;
  machine.spot = bid;
  sink.add(machine);
}

/// Adds a GPU type of RunPod, in its secure cloud and in that of the community, with the lowest bid
/// for interruptible use.
void add_runpod(const PriceJson& item, const PriceSink& sink) {
  const std::string name = cell_at(item, "displayName"), id = cell_at(item, "id");
  const std::string accelerator = name.empty() ? id : name;
  const std::string memory = mib_text(number_at(item, "memoryInGb"));
  const auto lowest = item.find("lowestPrice");
  const bool has_lowest = lowest != item.end() && lowest->is_object();
  struct Cloud {
    std::string_view name;
    const char* price;
    const char* bid;
  };
  for (const auto& [cloud, key, key_of_bid] :
       {Cloud{"secure", "securePrice", "secureSpotPrice"},
        Cloud{"community", "communityPrice", "communitySpotPrice"}}) {
    sink.count_row();
    const std::string price = cell_at(item, key);
    std::string bid = number_at(item, key_of_bid) > 0 ? cell_at(item, key_of_bid) : "";
    if (bid.empty() && has_lowest && cloud == "community")
      bid = cell_at(*lowest, "minimumBidPrice");
    ListedMachine machine;
    machine.provider = "runpod";
    machine.machine_type = accelerator;
    machine.region = cloud;
    machine.accelerator = accelerator;
    machine.accelerator_count = "1";
    machine.accelerator_memory_mib = memory;
    machine.on_demand = price;
    machine.spot = bid;
    sink.add(machine);
  }
}

/// Says where the machines of a list are, and how one is added.
struct ProviderList {
  const char* key;   // of the list of machines, at any depth
  const char* sign;  // a member that each machine has
  void (*add)(const PriceJson&, const PriceSink&);
};

/// Adds the machines in a value: those of the list with the key, or a list itself. Returns how many
/// there were.
std::size_t add_items(const PriceJson& value, const ProviderList& list, const PriceSink& sink,
                      int depth = 0) {
  constexpr int kDeepest = 4;
  if (depth > kDeepest) return 0;
  std::size_t count = 0;
  if (value.is_array()) {
    for (const PriceJson& each : value) {
      const bool is_item = each.is_object() && each.contains(list.sign);
      if (is_item) list.add(each, sink);
      count += is_item ? 1 : add_items(each, list, sink, depth + 1);
    }
  } else if (value.is_object()) {
    const auto found = value.find(list.key);
    if (found != value.end()) return add_items(*found, list, sink, depth + 1);
    for (const PriceJson& each : value) count += add_items(each, list, sink, depth + 1);
  }
  return count;
}

void read_list(std::string_view text, const ProviderList& list, const PriceSink& sink) {
  const PriceJson parsed = PriceJson::parse(text, nullptr, false);
  if (parsed.is_discarded()) refuse_prices("the list is not JSON");
  if (add_items(parsed, list, sink) == 0)
    refuse_prices(
        fmt::format("the list has no \"{}\" whose entries have \"{}\"", list.key, list.sign));
}

}  // namespace

void read_azure_prices(std::string_view text, const PriceSink& sink) {
  read_list(text, {"Items", "retailPrice", add_azure}, sink);
}

void read_vast_offers(std::string_view text, const PriceSink& sink) {
  read_list(text, {"offers", "dph_total", add_vast}, sink);
}

void read_runpod_types(std::string_view text, const PriceSink& sink) {
  read_list(text, {"gpuTypes", "memoryInGb", add_runpod}, sink);
}

}  // namespace lapcast
