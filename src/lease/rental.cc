#include "lease/rental.h"

#include <fmt/format.h>
#include <pwd.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/units.h"
#include "lease/keeper.h"
#include "lease/lease_clock.h"
#include "lease/lease_driver.h"
#include "lease/lease_text.h"
#include "lease/machine_deadline.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

constexpr Seconds kTakeOverLimit{60};  // until ssh has worked again

/// Returns "user@host", for the provider's list and for people.
std::string owner_of_leases() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  const passwd* const user = getpwuid(getuid());
  return fmt::format("{}@{}", user == nullptr ? std::to_string(getuid()) : user->pw_name, host);
}

}  // namespace

struct Rentals::Impl {
  RentLimits limits;
  RentalListener tell;
  Ledger ledger = Ledger::open();
  std::map<std::string, AdapterDescription> adapters;
  std::vector<Rental> rentals;
  std::vector<std::size_t> zones;  // of each rental: the next one to try
  std::vector<bool> let_go;        // kept for later
  LeaseDriver driver{ledger, [this](const Lease& before, const Lease& now) { say(before, now); }};

  Impl(RentLimits given, RentalListener listener)
      : limits(std::move(given)), tell(std::move(listener)) {}

  void say(const Lease& before, const Lease& now) const {
    for (const std::string& line : news_of(before, now, by_hand_of(now))) tell(line);
  }
  std::string by_hand_of(const Lease& lease) const {
    const auto known = adapters.find(lease.order.adapter);
    return known == adapters.end() ? "" : known->second.by_hand;
  }

  std::optional<Reason> describe(const std::string& adapter);
  Result<Lease> start_lease(const RentalOrder& order, const std::string& zone);
  Result<void> try_next_zone(std::size_t number);
  AdapterResult<void> move_deadline(const LeaseConnection& connection, const Rental& rental,
                                    Seconds term);
  void refresh(std::size_t number);
};

Rentals::Rentals(RentLimits limits, RentalListener tell)
    : impl_(std::make_unique<Impl>(std::move(limits), std::move(tell))) {}
Rentals::~Rentals() = default;

std::optional<Reason> Rentals::Impl::describe(const std::string& adapter) {
  if (adapters.contains(adapter)) return std::nullopt;
  const auto file = find_adapter(adapter);
  if (!file) return file.error();
  const auto described = ask_adapter(*file, "describe", "{}").and_then(parse_description);
  if (!described)
    return Reason{
        fmt::format("lapcast-rent-{} describes itself wrongly: {}; see lapcast rent check "
                    "--adapter {}",
                    adapter, described.error().text, adapter)};
  adapters[adapter] = *described;
  return std::nullopt;
}

std::optional<Reason> Rentals::why_not(const RentalOrder& order) {
  if (auto reason = impl_->describe(order.lease.adapter)) return reason;
  const AdapterDescription& adapter = impl_->adapters.at(order.lease.adapter);
  const std::string name = adapter.name.empty() ? order.lease.adapter : adapter.name;
  if (protection_of(adapter) == Protection::this_computer && !order.unprotected) {
    return Reason{fmt::format(
        "refused: nothing but this computer would end it ({} has no deadline that holds without "
        "it); --unprotected rents it all the same",
        printable(name, 60))};
  }
  if (order.lease.term < adapter.min_term) {
    return Reason{fmt::format("{} rents for {} or longer, not for {}", printable(name, 60),
                              format_duration(adapter.min_term),
                              format_duration(order.lease.term))};
  }
  if (order.lease.term <= Seconds{0}) return Reason{"its time to be rented is not above 0"};
  if (order.lease.most.per_hour <= Money{})
    return Reason{"no price is known for it; give max_price, in USD per hour"};
  return std::nullopt;
}

Result<Lease> Rentals::Impl::start_lease(const RentalOrder& order, const std::string& zone) {
  const AdapterDescription& adapter = adapters.at(order.lease.adapter);
  if (ledger.open_leases().empty()) set_lease_clock();
  Lease lease{.id = new_id(),
              .order = order.lease,
              .protection = protection_of(adapter),
              .idempotent = adapter.idempotent,
              .settle = adapter.settle,
              .asked = lease_now_ns(),
              .user = adapter.user,
              .scope = limits.scope,
              .owner = owner_of_leases()};
  lease.order.zone = zone;
  lease.order.billing = adapter.billing;
  lease.deadline = lease.asked + to_ns(order.lease.term);
  lease.price = order.lease.price.per_hour > Money{} ? order.lease.price : order.lease.most;
  const auto folder = ledger.folder_of(lease.id);
  FileLock lock = ledger.hold(lease.id);
  if (const auto made = make_lease_keys(folder, lease.id); !made)
    return tl::unexpected(made.error());
  if (adapter.user_data) lease.host_key = machine_key(folder);
  if (const auto added = ledger.add(lease, limits); !added) {
    remove_lease_files(folder);
    return tl::unexpected(added.error());
  }
  start_keeper();
  driver.drive(std::move(lock), lease, adapter);
  return *driver.find(lease.id);
}

std::optional<Reason> Rentals::why_too_dear(const RentalOrder& order) const {
  auto reason =
      lapcast::why_too_dear(impl_->ledger.all_leases(), order.lease, impl_->limits, lease_now_ns());
  return reason ? std::optional(Reason{*std::move(reason)}) : std::nullopt;
}

Result<std::size_t> Rentals::order(const RentalOrder& order) {
  if (auto reason = why_not(order)) return tl::unexpected(std::move(*reason));
  const auto& zones = order.zones;
  auto lease = impl_->start_lease(order, zones.empty() ? order.lease.zone : zones.front());
  if (!lease) return tl::unexpected(lease.error());
  impl_->rentals.push_back({.order = order,
                            .lease = std::move(*lease),
                            .adapter = impl_->adapters.at(order.lease.adapter)});
  impl_->zones.push_back(1);
  impl_->let_go.push_back(false);
  return impl_->rentals.size() - 1;
}

std::vector<std::size_t> Rentals::take_over(Seconds at_least) {
  std::vector<std::size_t> taken;
  const UtcNs now = lease_now_ns();
  for (const Lease& found : impl_->ledger.open_leases()) {
    const bool fits =
        found.scope == impl_->limits.scope && is_used(found) && found.state != LeaseState::asked &&
        now + to_ns(at_least) < found.deadline - to_ns(give_back_margin(found.order.term));
    if (!fits || impl_->describe(found.order.adapter)) continue;
    FileLock lock = impl_->ledger.hold(found.id);
    if (!lock.is_held()) continue;
    const auto lease = impl_->ledger.update(found.id, [&](Lease& each) {
      if (!is_used(each)) return;
      each.state = LeaseState::created;  // until ssh has worked again
      each.keep_until = 0;
      each.is_kept = false;
      each.order.boot_limit = from_ns(now - each.asked) + kTakeOverLimit;
    });
    if (!lease || !is_used(*lease)) continue;
    const AdapterDescription& adapter = impl_->adapters.at(found.order.adapter);
    impl_->rentals.push_back(
        {.order = {.lease = lease->order}, .lease = *lease, .adapter = adapter});
    impl_->zones.push_back(0);
    impl_->let_go.push_back(false);
    impl_->driver.drive(std::move(lock), *lease, adapter);
    taken.push_back(impl_->rentals.size() - 1);
  }
  return taken;
}

Result<void> Rentals::Impl::try_next_zone(std::size_t number) {
  Rental& rental = rentals[number];
  const std::string& zone = rental.order.zones[zones[number]++];
  auto lease = start_lease(rental.order, zone);
  if (!lease) return tl::unexpected(lease.error());
  tell(fmt::format("{}: no {} in {} ({}); trying {}", printable(rental.order.lease.name, 60),
                   printable(rental.order.lease.type, 60), printable(rental.lease.order.zone, 60),
                   name_of(*rental.lease.refusal), printable(zone, 60)));
  rental.lease = std::move(*lease);
  return {};
}

void Rentals::Impl::refresh(std::size_t number) {
  Rental& rental = rentals[number];
  if (let_go[number]) return;
  if (const Lease* const lease = driver.find(rental.lease.id)) rental.lease = *lease;
  const Lease& lease = rental.lease;
  rental.preempted_at = lease.preempted_at;
  rental.listed = driver.listed(lease.id);
  if (lease.reachable) rental.boot = from_ns(*lease.reachable - lease.asked);
  if (rental.state == RentalState::ended) return;
  if (lease.state == LeaseState::reachable) rental.state = RentalState::ready;
  if (is_used(lease)) return;
  const bool lacks = lease.refusal == RentRefusal::capacity || lease.refusal == RentRefusal::quota;
  if (rental.state == RentalState::booting && lacks && !lease.was_listed &&
      zones[number] < rental.order.zones.size()) {
    const auto next = try_next_zone(number);
    if (next) return;
    rental.reason = next.error().text;
  } else {
    rental.reason = lease.reason;
    const std::string trouble = driver.login_trouble(lease.id);
    if (!lease.reachable && !trouble.empty()) rental.reason += "; ssh says: " + trouble;
  }
  rental.state = RentalState::ended;
}

void Rentals::step(std::chrono::milliseconds at_most) {
  impl_->driver.step(at_most);
  for (std::size_t i = 0; i < impl_->rentals.size(); ++i) impl_->refresh(i);
}

std::size_t Rentals::size() const {
  return impl_->rentals.size();
}

const Rental& Rentals::operator[](std::size_t number) const {
  return impl_->rentals.at(number);
}

LeaseConnection Rentals::connection(std::size_t number) const {
  const Lease& lease = impl_->rentals.at(number).lease;
  return connection_of(impl_->ledger.folder_of(lease.id), lease);
}

void Rentals::look_again(std::size_t number) {
  impl_->driver.list_now(impl_->rentals.at(number).lease.id);
}

/// Moves the machine's own deadline, and then that of the provider.
AdapterResult<void> Rentals::Impl::move_deadline(const LeaseConnection& connection,
                                                 const Rental& rental, Seconds term) {
  if (rental.adapter.user_data) {
    if (const auto own = move_machine_deadline(connection, term); !own)
      return tl::unexpected(AdapterError{RentRefusal::unclear, own.error().text});
  }
  if (!rental.adapter.extends) return {};
  const auto file = find_adapter(rental.lease.order.adapter);
  if (!file) return tl::unexpected(AdapterError{RentRefusal::no_such_offer, file.error().text});
  const auto answer = ask_adapter(*file, "extend", extend_request(rental.lease, term));
  ledger.add_event(rental.lease.id,
                   "extend answered: " + (answer ? printable(*answer, 4000) : answer.error().text));
  return answer.and_then(parse_done);
}

Result<void> Rentals::extend(std::size_t number, Seconds term) {
  const Rental& rental = impl_->rentals.at(number);
  const std::string& id = rental.lease.id;
  const bool by_machine =
      rental.adapter.user_data && rental.adapter.deadline == AdapterDescription::Deadline::machine;
  if (!rental.adapter.extends && !by_machine) return because("its provider cannot move a deadline");
  const UtcNs before = rental.lease.deadline;
  // The ledger promises the money first.
  if (auto paid = impl_->ledger.move_deadline(id, lease_now_ns() + to_ns(term), impl_->limits);
      !paid)
    return paid;
  const auto moved = impl_->move_deadline(connection(number), rental, term);
  if (moved) {
    impl_->driver.take(id, NoNews{});
    impl_->refresh(number);
    return {};
  }
  // An unclear answer may have moved it: the ledger then keeps the later deadline.
  if (moved.error().refusal != RentRefusal::unclear)
    impl_->ledger.update(id, [&](Lease& lease) { lease.deadline = before; });
  return because(moved.error().text);
}

Result<void> Rentals::note_fetched(std::size_t number, std::int64_t bytes) {
  const auto lease = impl_->ledger.update(impl_->rentals.at(number).lease.id,
                                          [&](Lease& each) { each.fetched += bytes; });
  if (!lease || lease->fetched <= lease->order.may_fetch / 2) return {};
  auto promised = allow_to_fetch(number, lease->fetched);
  const bool is_nearly_all = lease->fetched > lease->order.may_fetch / 10 * 9;
  return is_nearly_all ? promised : Result<void>();
}

Result<void> Rentals::allow_to_fetch(std::size_t number, std::int64_t bytes) {
  const auto lease = impl_->ledger.find(impl_->rentals.at(number).lease.id);
  if (!lease || !lease->order.egress || lease->fetched + bytes <= lease->order.may_fetch) return {};
  return impl_->ledger.allow_to_fetch(lease->id, lease->fetched + bytes, impl_->limits);
}

void Rentals::give_back(std::size_t number, const std::string& reason) {
  Rental& rental = impl_->rentals.at(number);
  if (rental.state == RentalState::ended || impl_->let_go[number]) return;
  rental.state = RentalState::ended;
  rental.reason = reason;
  impl_->driver.take(rental.lease.id, EndFact{reason});
  impl_->refresh(number);
}

void Rentals::keep(std::size_t number, Seconds how_long, const std::string& next) {
  Rental& rental = impl_->rentals.at(number);
  if (rental.state == RentalState::ended || impl_->let_go[number]) return;
  impl_->ledger.update(rental.lease.id, [&](Lease& lease) {
    lease.keep_until = std::min(lease.deadline, lease_now_ns() + to_ns(how_long));
    lease.is_kept = true;
    if (!next.empty()) lease.scope = next;
  });
  impl_->driver.let_go(rental.lease.id);
  impl_->let_go[number] = true;
}

bool Rentals::any_open() const {
  return impl_->driver.any_open();
}

void Rentals::end_all(const std::string& reason, Seconds at_most) {
  for (std::size_t i = 0; i < impl_->rentals.size(); ++i) give_back(i, reason);
  const auto until = std::chrono::steady_clock::now() +
                     std::chrono::duration_cast<std::chrono::milliseconds>(at_most);
  while (any_open() && std::chrono::steady_clock::now() < until)
    step(std::chrono::milliseconds{200});
}

Money Rentals::spent() const {
  Money sum;
  for (const Lease& lease : impl_->ledger.leases_of(impl_->limits.scope))
    sum = saturating_sum(sum, cost_so_far(lease, lease_now_ns()));
  return sum;
}

Money Rentals::at_most() const {
  Money sum;
  for (const Lease& lease : impl_->ledger.leases_of(impl_->limits.scope))
    sum = saturating_sum(sum, worst_cost(lease, lease_now_ns()));
  return sum;
}

Ledger& Rentals::ledger() {
  return impl_->ledger;
}

}  // namespace lapcast
