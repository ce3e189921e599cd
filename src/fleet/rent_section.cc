#include "fleet/rent_section.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/units.h"
#include "lease/adapter.h"
#include "machine/ordered_hardware.h"

namespace lapcast {
namespace {

constexpr double kMostAtOnce = 64;
constexpr std::size_t kMostZones = 32;

Seconds read_time(const FleetSection& section, std::string_view key, Seconds otherwise) {
  if (!section.has(key)) return otherwise;
  const Seconds time = from_ns(section.duration_ns(key));
  if (time < Seconds{1}) section.fail(key, "it is shorter than 1 s");
  return time;
}

std::string optional_text(const FleetSection& section, std::string_view key) {
  return section.has(key) ? section.text(key) : std::string();
}

/// Reads the name of an adapter, which is never a path: what a file names is not started.
std::string read_adapter(const FleetSection& rent) {
  const std::string name = rent.text("by");
  if (name.size() > 60 || !is_adapter_name(name))
    rent.fail("by", "write the name of an adapter, such as \"gcloud\": letters, digits, - and _");
  return name;
}

std::vector<std::string> read_zones(const FleetSection& rent) {
  std::vector<std::string> zones;
  if (!rent.has("zones")) return zones;
  const TomlNode& list = rent.value("zones");
  if (list.kind != TomlNode::Kind::list)
    rent.fail("zones", "write a list, such as [\"SE\", \"DE\"]");
  for (const TomlNode& item : list.items) {
    if (item.kind != TomlNode::Kind::text || item.text.empty() || has_control_characters(item.text))
      fail_at(rent.file(), item.place, "zones: write each as text");
    zones.push_back(item.text);
  }
  if (zones.size() > kMostZones) rent.fail("zones", "more than 32");
  return zones;
}

std::map<std::string, std::string> read_options(const FleetSection& rent) {
  std::map<std::string, std::string> options;
  if (!rent.has("options")) return options;
  const FleetSection section = rent.section("options");
  for (const TomlNode::Key& key : section.table().keys) {
    const TomlNode& value = key.value;
    if ((value.kind != TomlNode::Kind::text && value.kind != TomlNode::Kind::number) ||
        has_control_characters(value.text) || has_control_characters(key.name))
      fail_at(section.file(), key.place, "options: write each value as text");
    options[key.name] = value.text;
  }
  return options;
}

}  // namespace

RentDefaults read_rent_defaults(const FleetSection& root) {
  RentDefaults defaults;
  const TomlNode::Key* rent = root.table().find("rent");
  if (rent == nullptr) return defaults;
  const FleetSection section(rent->value, "[rent]", root.file());
  section.allow_only({"max_time", "boot_limit", "at_once"});
  defaults.max_time = read_time(section, "max_time", defaults.max_time);
  defaults.boot_limit = read_time(section, "boot_limit", defaults.boot_limit);
  if (section.has("at_once"))
    defaults.at_once = static_cast<int>(section.number("at_once", 1, kMostAtOnce));
  return defaults;
}

std::optional<RentSection> read_rent_section(const FleetSection& machine, const std::string& name,
                                             const RentDefaults& defaults) {
  if (!machine.has("rent")) return std::nullopt;
  const FleetSection rent = machine.section("rent");
  rent.allow_only({"by", "type", "region", "zones", "spot", "image", "max_price", "max_time",
                   "boot_limit", "options", "cuda", "free_disk", "egress_usd_per_gb"});
  RentSection read;
  LeaseOrder& order = read.order;
  order.name = name;
  order.adapter = read_adapter(rent);
  order.type = rent.text("type");
  order.region = optional_text(rent, "region");
  order.image = optional_text(rent, "image");
  order.spot = rent.flag("spot");
  order.term = read_time(rent, "max_time", defaults.max_time);
  order.boot_limit = std::min(order.term, read_time(rent, "boot_limit", defaults.boot_limit));
  if (rent.has("max_price")) order.most = {rent.money("max_price")};
  if (rent.has("max_price") && order.most.per_hour == Money())
    rent.fail("max_price", "it is 0: no machine would be rented");
  if (rent.has("egress_usd_per_gb")) order.egress = rent.money("egress_usd_per_gb");
  if (order.egress > kMostEgressPrice)
    rent.fail("egress_usd_per_gb",
              "it is above 1000 USD per GB; write USD per GB, such as \"0.09\"");
  order.options = read_options(rent);
  read.zones = read_zones(rent);
  read.cuda = optional_text(rent, "cuda");
  if (rent.has("cuda") && !is_cuda_version(read.cuda))
    rent.fail("cuda", "write a version of CUDA, such as \"12.8\"");
  if (rent.has("free_disk"))
    read.free_disk_bytes =
        rent.at("free_disk", [&] { return parse_bytes(rent.text("free_disk")); });
  return read;
}

}  // namespace lapcast
