#include "commands/rent/rent_try.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "core/units.h"
#include "lease/lease_clock.h"
#include "lease/lease_cost.h"

namespace lapcast {
namespace {

constexpr std::chrono::milliseconds kTrialTick{200};

/// Returns the entry of a lease in a list of its provider.
std::optional<ProviderEntry> listed_entry(const Lease& lease) {
  const auto file = find_adapter(lease.order.adapter);
  if (!file) return std::nullopt;
  const auto list = ask_adapter(*file, "list", "{}").and_then(parse_machine_list);
  if (!list) return std::nullopt;
  const auto found = std::ranges::find(list->machines, lease.id, &ProviderEntry::lease);
  return found == list->machines.end() ? std::nullopt : std::optional(*found);
}

AdapterCheck check_tag(const Lease& lease) {
  const auto entry = listed_entry(lease);
  const bool is_same = entry && entry->machine == lease.machine;
  return {"tag", is_same,
          is_same ? "list finds the machine by its lease"
                  : "list does not show the machine that create named"};
}

void step_until(Rentals& rentals, const Interrupt& interrupt, const std::function<bool()>& done) {
  while (!done() && interrupt.count() < 2) rentals.step(kTrialTick);
}

/// Returns the time between two moments of a lease, and its share of the bill.
struct TrialPart {
  std::string what;
  Seconds time{0};
  Money cost;
};

std::vector<TrialPart> parts_of(const Lease& lease) {
  std::vector<TrialPart> parts;
  const UtcNs end = lease.gone.value_or(lease_now_ns());
  const auto add = [&](const char* what, UtcNs from, UtcNs until) {
    parts.push_back(
        {what, from_ns(until - from), cost_of(lease.price, std::max<UtcNs>(0, until - from))});
  };
  const UtcNs ending = lease.ending.value_or(end);
  if (lease.was_listed) {
    add("boot", lease.asked, lease.reachable.value_or(ending));
    if (lease.reachable) add("use", *lease.reachable, ending);
    add("give back", ending, end);
    Money sum;
    for (const TrialPart& part : parts) sum += part.cost;
    const Money rest = cost_so_far(lease, end) - sum;
    if (rest > Money{}) parts.push_back({"rounding up", Seconds{0}, rest});
  }
  parts.push_back({"in all", from_ns(end - lease.asked), cost_so_far(lease, end)});
  return parts;
}

}  // namespace

Result<RentTrial> try_rental(const RentalOrder& order, const RentLimits& limits,
                             const Interrupt& interrupt, const RentalListener& tell) {
  Rentals rentals(limits, tell);
  const auto number = rentals.order(order);
  if (!number) return tl::unexpected(number.error());
  RentTrial trial;
  const auto& rental = rentals[*number];
  const auto is_decided = [&] {
    return rental.state != RentalState::booting || interrupt.count() > 0;
  };
  step_until(rentals, interrupt, is_decided);
  const bool is_ready = rental.state == RentalState::ready;
  trial.checks.push_back(
      {"login", is_ready, is_ready ? "ssh works, with the right host key" : rental.reason});
  if (is_ready) trial.checks.push_back(check_tag(rental.lease));
  rentals.give_back(*number, is_ready ? "the trial is over" : "interrupted");
  step_until(rentals, interrupt, [&] { return !rentals.any_open(); });
  const bool is_gone = !is_open(rental.lease);
  trial.checks.push_back(
      {"delete", is_gone, is_gone ? "the machine is gone" : "it is still listed"});
  trial.lease = rental.lease;
  return trial;
}

std::optional<HourlyPrice> told_price(const RentalOrder& order) {
  const auto file = find_adapter(order.lease.adapter);
  if (!file) return std::nullopt;
  std::vector<std::string> regions;
  if (!order.lease.region.empty()) regions.push_back(order.lease.region);
  const auto offers = ask_adapter(*file, "offers", offers_request({order.lease.type}, regions))
                          .and_then(parse_offers);
  std::optional<HourlyPrice> cheapest;
  for (const AdapterOffer& offer : offers ? *offers : std::vector<AdapterOffer>()) {
    const bool fits = offer.type == order.lease.type && offer.spot == order.lease.spot;
    if (fits && offer.price && (!cheapest || *offer.price < *cheapest)) cheapest = offer.price;
  }
  return cheapest;
}

Table trial_table(const RentTrial& trial) {
  const std::vector<ColumnOf<TrialPart>> columns{
      {"part", "part", &TrialPart::what},
      {"time_s", "time", [](auto& part) { return time_or_nothing(part.time); }},
      {"cost_usd", "cost", &TrialPart::cost}};
  Table table = table_of("trial", "What the machine has cost", columns, parts_of(trial.lease));
  if (!trial.lease.price_is_told)
    table.notes.push_back("the provider tells no price: the bill is at the price that was given");
  return table;
}

}  // namespace lapcast
