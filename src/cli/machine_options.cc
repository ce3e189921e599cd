#include "cli/machine_options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <vector>

#include "cli/globals.h"
#include "cli/selection.h"
#include "core/units.h"
#include "fleet/fleet_file.h"
#include "price/offer_check.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

/// Price given on the command line: true today, by the user's word.
Offer offer_from(const std::string& price, const std::string& machine) {
  Offer offer;
  offer.name = machine;
  offer.machine_type = machine;
  offer.price = {of_option("--price", [&] { return Money::parse(price); })};
  if (offer.price.per_hour < Money())
    throw Error(ExitCode::usage, "--price must not be negative: USD per hour, such as 3.06");
  offer.as_of = utc_now().substr(0, 10);
  offer.source = "--price";
  if (const auto reason = why_not_valid(offer, today()))
    throw Error(ExitCode::usage, "--price: " + reason->text);
  return offer;
}

Offer offer_named(const std::string& name) {
  const std::vector<Offer> offers = load_offers({});
  const auto found = std::find_if(offers.begin(), offers.end(),
                                  [&](const Offer& offer) { return offer.name == name; });
  if (found == offers.end())
    throw Error(ExitCode::usage, fmt::format("--offer: no catalog has an offer '{}'; `lapcast "
                                             "catalog` lists them",
                                             printable(name)));
  return *found;
}

}  // namespace

void MachineOptions::add_to(CLI::App& app) {
  app.add_option("--machine", machine, "name for what it runs on")
      ->type_name("NAME")
      ->capture_default_str();
  auto* usd = app.add_option("--price", price, "USD per hour of this machine")->type_name("USD");
  app.add_option("--offer", offer, "offer of a catalog (docs/catalog.md) that this machine is")
      ->type_name("NAME")
      ->excludes(usd);
  app.add_option("--cpus", cpus, "CPUs it may use, such as 0-3,8")->type_name("LIST");
  app.add_option("--cpu-quota", cpu_quota, "CPU time per time: 50% is half a CPU")
      ->type_name("PERCENT");
}

MachineType MachineOptions::machine_type() const {
  MachineType type;
  type.name = machine;
  if (!cpus.empty()) type.cpus = of_option("--cpus", [&] { return parse_cpu_list(cpus); });
  if (!cpu_quota.empty())
    type.cpu_quota = of_option("--cpu-quota", [&] { return parse_cpu_quota(cpu_quota); });
  return type;
}

std::optional<Offer> MachineOptions::price_per_hour() const {
  if (!price.empty()) return offer_from(price, machine);
  if (!offer.empty()) return offer_named(offer);
  return std::nullopt;
}

}  // namespace lapcast
