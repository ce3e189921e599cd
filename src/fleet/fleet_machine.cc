#include "fleet/fleet_machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "core/nearest_name.h"
#include "core/units.h"
#include "fleet/slurm_section.h"
#include "price/offer.h"
#include "probe/ids_and_time.h"
#include "remote/host.h"
#include "remote/program_files.h"

namespace lapcast {
namespace {

using Kind = TomlNode::Kind;

constexpr std::string_view kPriceKeys[] = {"as_of", "source", "boot", "billing_step",
                                           "billing_minimum"};
constexpr auto kBillingKeys = std::span(kPriceKeys).last<2>();
constexpr std::string_view kHardwareKeys[] = {"gpu", "vcpus"};
constexpr std::string_view kGpus[] = {"gpus"};
constexpr std::string_view kSpotKeys[] = {"spot", "interruption_hours", "notice"};

constexpr std::string_view kToFillIn = "FILL IN";  // begins a source that is still to be written
constexpr std::size_t kLongestSource = 100;  // columns of the file's name in the source of a price

/// Reads the hosts of the nodes that each run is on at once.
std::vector<std::string> read_hosts(const FleetSection& machine) {
  constexpr std::size_t kMost = 256;
  const TomlNode& list = machine.value("hosts");
  std::vector<std::string> hosts;
  if (list.kind == Kind::list)
    for (const TomlNode& item : list.items)
      if (item.kind == Kind::text) hosts.push_back(item.text);
  const std::set<std::string> different(hosts.begin(), hosts.end());
  if (hosts.size() < 2 || hosts.size() > kMost || hosts.size() != list.items.size() ||
      different.size() != hosts.size() || !std::ranges::all_of(hosts, is_host_name))
    machine.fail("hosts", R"(write two or more different ssh hosts, such as ["gpu1", "gpu2"])");
  return hosts;
}

/// Reads where an ssh host is; `known_hosts` names the file with its host key, as of a machine that
/// another tool has rented.
SshPlace read_ssh(const FleetSection& machine) {
  SshPlace place;
  if (machine.has("hosts")) {
    std::vector<std::string> hosts = read_hosts(machine);
    place.host = hosts.front();
    place.others.assign(hosts.begin() + 1, hosts.end());
    return place;
  }
  place.host = machine.word("host");
  if (!machine.has("known_hosts")) return place;
  place.known_hosts = machine.text("known_hosts");
  if (place.known_hosts.front() != '/' && !place.known_hosts.starts_with("~/"))
    machine.fail("known_hosts", "write a path that begins with / or ~/");
  if (place.known_hosts.find('"') != std::string::npos)
    machine.fail("known_hosts", "it has a quote in it");
  return place;
}

RentedPlace read_rented(const FleetSection& rent) {
  const std::string type = rent.text("type");
  return {rent.word("by"), type, rent.has("image") ? rent.text("image") : ""};
}

Place read_place(const FleetSection& machine) {
  if (machine.has("host") + machine.has("hosts") + machine.has("slurm") + machine.has("rent") > 1)
    machine.fail(
        machine.has("hosts")  ? "hosts"
        : machine.has("host") ? "host"
                              : "rent",
        "a machine has one of host, hosts, [machine.slurm] and [machine.rent]; the login node of "
        "a cluster is `login` in [machine.slurm]");
  if (machine.has("known_hosts") && !machine.has("host"))
    machine.fail("known_hosts", "only for a machine with host");
  if (machine.has("host") || machine.has("hosts")) return read_ssh(machine);
  if (machine.has("rent")) return read_rented(machine.section("rent"));
  if (!machine.has("slurm")) return LocalPlace{};
  for (const char* key : {"cpus", "cpu_quota"})
    if (machine.has(key))
      machine.fail(key, R"(Slurm gives a job its CPUs; ask for them with flags = ["-c", "4"])");
  return read_slurm_section(machine.section("slurm"));
}

/// Reads a path that is absolute, or below the home folder of the machine.
std::string read_folder(const FleetSection& machine) {
  const std::string folder = machine.text("folder");
  if (folder.front() != '/' && !folder.starts_with("~/"))
    machine.fail("folder", "write a path that begins with / or ~/");
  return folder;
}

bool leaves_its_folder(const std::string& path) {
  return ("/" + path + "/").find("/../") != std::string::npos;
}

DataSource read_source(const FleetSection& data) {
  const std::string source = data.text("source");
  if (source == "there") return DataSource::on_machine;
  if (source == "send") return DataSource::send;
  if (source == "setup") return DataSource::setup;
  data.fail("source",
            "write there (it is there already), send (lapcast sends it once) or setup "
            "(the set-up command fetches it)");
}

DataSet read_data_set(const FleetSection& section) {
  section.allow_only({"path", "size", "source"});
  DataSet data;
  data.path = section.text("path");
  if (leaves_its_folder(data.path)) section.fail("path", "write a path without ..");
  data.path = data_path(data);
  if (data.path == "." || data.path == "/")
    section.fail("path",
                 "name a folder or file of its own, not the whole folder of the program or /");
  if (section.has("size")) data.bytes = read_size(section, "size");
  if (section.has("source")) data.source = read_source(section);
  return data;
}

void read_other_prices(const FleetSection& section, OtherPrices& other) {
  const auto read = [&](std::string_view key, Money& amount) {
    if (section.has(key)) amount = section.money(key);
  };
  read("licence_usd_per_hour", other.licence.per_hour);
  read("storage_usd_per_gb_month", other.storage_per_gb_month);
  read("snapshots_usd_per_gb_month", other.snapshots_per_gb_month);
  read("egress_usd_per_gb", other.egress_per_gb);
  if (section.has("tax"))
    other.tax = section.at("tax", [&] { return parse_share(section.text("tax")); });
}

/// Reads the keys that may be in [prices] and in a [[machine]] with a price of its own.
PriceDefaults read_terms(const FleetSection& section, PriceDefaults terms) {
  if (section.has("as_of")) terms.as_of = section.date("as_of");
  if (section.has("source") && !section.text("source").starts_with(kToFillIn))
    terms.source = section.text("source");
  if (section.has("billing_step")) terms.billing.step_ns = section.duration_ns("billing_step");
  if (section.has("billing_minimum")) {
    terms.billing.minimum_ns = section.duration_ns("billing_minimum");
  }
  if (section.has("boot")) terms.boot_ns = section.duration_ns("boot");
  read_other_prices(section, terms.other);
  return terms;
}

void refuse_keys(const FleetSection& section, std::span<const std::string_view> keys,
                 const std::string& why) {
  for (const std::string_view key : keys) {
    if (section.has(key)) section.fail(key, why);
  }
}

Owned read_owned(const FleetSection& section) {
  section.allow_only(
      {"purchase", "years", "utilisation", "power_kw", "usd_per_kwh", "running_usd_per_year"});
  Owned owned;
  owned.purchase = section.money("purchase");
  owned.years = section.number("years", 0.01, 100);
  if (section.has("utilisation")) owned.utilisation = section.number("utilisation", 0.0001, 1);
  if (section.has("power_kw")) owned.power_kw = section.number("power_kw", 0, 1e6);
  if (section.has("usd_per_kwh")) owned.price_per_kwh = section.money("usd_per_kwh");
  if (section.has("running_usd_per_year")) {
    owned.running_cost_per_year = section.money("running_usd_per_year");
  }
  if (section.has("power_kw") != section.has("usd_per_kwh")) {
    section.fail("power_kw and usd_per_kwh go together; write both or none");
  }
  return owned;
}

/// Reads what is known of the interruptions of a machine that the provider may take back.
Spot read_spot(const FleetSection& section) {
  Spot spot;
  if (section.has("interruption_hours"))
    spot.hours_between_interruptions = section.number("interruption_hours", 1e-3, 1e6);
  if (section.has("notice"))
    spot.notice_s = static_cast<double>(section.duration_ns("notice")) / 1e9;
  return spot;
}

void read_own_price(const FleetSection& section, bool is_spot, Offer& offer) {
  if (!is_spot)
    refuse_keys(section, std::span(kSpotKeys).last<2>(), "only for a machine with spot = true");
  if (!section.has("owned")) {
    offer.price = {section.money("price")};
    if (is_spot) offer.terms = read_spot(section);
    return;
  }
  refuse_keys(section, kSpotKeys, "an owned machine is not taken back; leave it out");
  refuse_keys(section, kBillingKeys, "an owned machine is not billed in steps; leave it out");
  const Owned owned = read_owned(section.section("owned"));
  offer.terms = owned;
  offer.price = section.at("owned", [&owned] { return hourly_price(owned); });
  offer.billing = {0, 0};
}

}  // namespace

std::int64_t read_size(const FleetSection& section, std::string_view key) {
  const TomlNode& node = section.value(key);
  if (node.kind != Kind::text && node.kind != Kind::number)
    section.fail(key, "write such as \"1.2 GB\", or a number of bytes");
  return section.at(key, [&] { return parse_bytes(node.text); });
}

std::vector<DataSet> read_data_sets(const FleetSection& root) {
  std::vector<DataSet> sets;
  const TomlNode::Key* data = root.table().find("data");
  if (!data) return sets;
  if (data->value.kind != Kind::list)
    fail_at(root.file(), data->place, "write [[data]], with two brackets each");
  std::set<std::string> paths;
  for (const TomlNode& node : data->value.items) {
    const FleetSection section(node, "[[data]]", root.file());
    sets.push_back(read_data_set(section));
    if (!paths.insert(sets.back().path).second) section.fail("path", "it stands above already");
  }
  return sets;
}

PlaceSetup read_place_setup(const FleetSection& machine, const std::vector<DataSet>& data) {
  PlaceSetup place_setup;
  place_setup.place = read_place(machine);
  if (machine.has("group")) place_setup.group = machine.text("group");
  if (is_this_machine(place_setup.place)) {
    for (const char* key : {"folder", "setup"})
      if (machine.has(key))
        machine.fail(key,
                     "only for a remote machine, with host, [machine.slurm] or [machine.rent]");
    return place_setup;
  }
  if (machine.has("folder")) place_setup.folder = read_folder(machine);
  if (machine.has("setup")) place_setup.setup = machine.text("setup");
  place_setup.data = data;
  return place_setup;
}

PriceDefaults read_price_defaults(const FleetSection& root, const std::string& changed) {
  PriceDefaults defaults;
  defaults.as_of = changed.empty() ? utc_now().substr(0, 10) : changed;
  defaults.source = std::string(kFromFleetFile) + printable(root.file(), kLongestSource);
  const TomlNode::Key* prices = root.table().find("prices");
  if (!prices) return defaults;
  const FleetSection section(prices->value, "[prices]", root.file());
  std::vector<std::string_view> keys(std::begin(kPriceKeys), std::end(kPriceKeys));
  keys.insert(keys.end(), std::begin(kOtherPriceNames), std::end(kOtherPriceNames));
  section.allow_only(keys);
  return read_terms(section, defaults);
}

void read_price(const FleetSection& section, const PriceDefaults& defaults, FleetMachine& machine) {
  const int ways = section.has("price") + section.has("offer") + section.has("owned");
  const std::string who = "machine '" + printable(machine.type.name) + "' has ";
  if (ways == 0) {
    refuse_keys(section, kSpotKeys, "only for a machine with a price");
    return refuse_keys(section, kHardwareKeys,
                       "it describes a price: add one, \"0\" where it costs nothing");
  }
  if (ways > 1) section.fail(who + "several of price, offer and [machine.owned]; keep one");
  if (section.has("offer")) {
    refuse_keys(section, kPriceKeys, "the catalog says it of the offer; leave it out");
    refuse_keys(section, kOtherPriceNames, "the catalog says it of the offer; leave it out");
    refuse_keys(section, kSpotKeys, "the catalog says it of the offer; leave it out");
    refuse_keys(section, kHardwareKeys, "the catalog says it of the offer; leave it out");
    refuse_keys(section, kGpus, "the catalog says it of the offer; leave it out");
    machine.offer_name = section.text("offer");
    if (nodes_of(machine.place_setup.place) > 1)
      section.fail("offer", "an offer is for one machine; write the price of a node as `price`");
    return;
  }
  const PriceDefaults terms = read_terms(section, defaults);
  Offer offer;
  offer.name = offer.machine_type = machine.type.name;
  offer.provider = kFleetFileProvider;
  offer.billing = terms.billing;
  offer.other = terms.other;
  offer.boot_ns = terms.boot_ns;
  offer.as_of = terms.as_of;
  offer.source = terms.source;
  if (section.has("gpu")) {
    offer.accelerator = section.text("gpu");
    offer.accelerator_count = std::max(1, machine.gpus);
  }
  if (section.has("vcpus")) offer.vcpus = section.number("vcpus", 0.01, 8192);
  const bool is_spot = section.flag("spot") || (machine.rent && machine.rent->order.spot);
  read_own_price(section, is_spot, offer);
  if (const auto reason = why_not_valid(offer, today()))
    section.fail(who + "a price that cannot be: " + reason->text);
  machine.offer = offer;
}

void take_offers(Fleet& fleet, const std::vector<Offer>& offers, const std::string& file) {
  std::vector<std::string_view> names;
  for (const Offer& offer : offers) {
    names.push_back(offer.name);
    names.push_back(offer.machine_type);
  }
  for (FleetMachine& machine : fleet.machines) {
    std::string& wanted = machine.offer_name;
    if (wanted.empty() || std::ranges::find(names, wanted) != names.end()) continue;
    const auto same =
        std::ranges::find_if(names, [&](auto name) { return is_same_name(name, wanted); });
    if (same == names.end())
      throw Error(ExitCode::bad_input,
                  fmt::format("{}: machine '{}': no catalog has the offer '{}'; {}",
                              printable(file), printable(machine.type.name), printable(wanted),
                              did_you_mean(wanted, names,
                                           "name the catalog that has it with --offers FILE.csv")));
    wanted = *same;
  }
  for (FleetMachine& machine : fleet.machines) {
    const Offer* offer = offer_of_name(offers, machine.offer_name);
    if (offer != nullptr && offer->accelerator_count > 1) machine.gpus = offer->accelerator_count;
  }
}

}  // namespace lapcast
