#include "campaign/rented_machines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "campaign/rent_check.h"
#include "core/units.h"
#include "lease/lease_clock.h"
#include "lease/lease_cost.h"
#include "lease/ledger.h"
#include "probe/ids_and_time.h"
#include "remote/patience.h"

namespace lapcast {
namespace {

using namespace std::chrono_literals;

constexpr Seconds kLeastLeft{60};    // of a term, or half of it, for a machine that is taken over
constexpr Seconds kEndPatience{10};  // for the end of machines, at the end of a command
constexpr Seconds kHeldPatience{5};
constexpr const char* kDone = "its work is done";
constexpr double kDeadSilence = 2;  // times the patience, until a silent machine counts as dead

std::string booting_text(const Rental& rental) {
  const UtcNs now = lease_now_ns();
  return fmt::format("booting for {}, {} so far",
                     format_duration(from_ns(std::max<UtcNs>(0, now - rental.lease.asked))),
                     dollar_text(cost_so_far(rental.lease, now)));
}

}  // namespace

bool is_dead(const Rental& rental, Seconds silence) {
  return silence > kDeadSilence * contact_patience() &&
         rental.listed.value_or(0) > lease_now_ns() - to_ns(silence);
}

RentedMachines::RentedMachines(RentPlan plan, RentTerms terms, RentalListener tell)
    : terms_(std::move(terms)), at_once_(plan.at_once), tell_(std::move(tell)) {
  for (MachineToRent& wanted : plan.machines) {
    wanted.order.unprotected = terms_.unprotected;
    const std::string name = wanted.order.lease.name;
    machines_[name].wanted = std::move(wanted);
  }
}

void RentedMachines::begin(const std::string& search, bool hold) {
  hold_ = hold;
  rentals_ = std::make_unique<Rentals>(RentLimits{search, terms_.budget, terms_.a_month}, tell_);
  // The workers of a lapcast that was killed hold its machines for another moment.
  const MonotonicNs begun = monotonic_ns();
  while (take_over(), is_any_held(search) && from_ns(monotonic_ns() - begun) < kHeldPatience)
    usleep(100'000);
}

bool RentedMachines::is_any_held(const std::string& search) const {
  const auto is_ours = [&](const std::string& lease) {
    for (std::size_t i = 0; i < rentals_->size(); ++i)
      if ((*rentals_)[i].lease.id == lease) return true;
    return false;
  };
  Ledger& ledger = rentals_->ledger();
  return std::ranges::any_of(ledger.open_leases(), [&](const Lease& lease) {
    return lease.scope == search && lease.state != LeaseState::ending && !is_ours(lease.id) &&
           ledger.is_held(lease.id);
  });
}

void RentedMachines::take_over() {
  Seconds least = kLeastLeft;
  for (const auto& [name, machine] : machines_)
    least = std::min(least, machine.wanted.order.lease.term / 2);
  for (const std::size_t number : rentals_->take_over(least)) {
    Machine* machine = machine_of((*rentals_)[number].order.lease.name);
    if (machine == nullptr || machine->rental)
      rentals_->give_back(number, "no machine of the fleet file needs it");
    else
      machine->rental = number;
  }
}

RentedMachines::Machine* RentedMachines::machine_of(const std::string& name) {
  const auto found = machines_.find(name);
  return found == machines_.end() ? nullptr : &found->second;
}

const SuppliedMachine* RentedMachines::find(const std::string& name) const {
  const auto found = machines_.find(name);
  return found == machines_.end() ? nullptr : &found->second.shown;
}

void RentedMachines::step(const std::vector<std::string>& left) {
  if (!rentals_) return;
  rentals_->step(0ms);
  for (auto& [name, machine] : machines_) update(machine);
  if (!hold_) give_back_idle(left);
  order_next(left);
}

void RentedMachines::update(Machine& machine) {
  if (!machine.rental) return;
  const Rental& rental = (*rentals_)[*machine.rental];
  if (rental.state == RentalState::ended) {
    const bool was_used = machine.shown.state == SuppliedMachine::State::ready;
    return take_ended(machine, rental.reason, was_used);
  }
  if (rental.state == RentalState::ready) return take_ready(machine, rental);
  machine.shown.state = SuppliedMachine::State::coming;
  machine.shown.doing = booting_text(rental);
}

void RentedMachines::take_ready(Machine& machine, const Rental& rental) {
  SuppliedMachine& shown = machine.shown;
  shown.is_ending = rental.preempted_at.has_value();
  if (shown.state == SuppliedMachine::State::ready) return;
  const LeaseConnection connection = rentals_->connection(*machine.rental);
  shown.state = SuppliedMachine::State::ready;
  shown.place = place_by_config(connection.host, connection.config.string());
  shown.ordered = machine.wanted.hardware;
  shown.boot = rental.boot;
  machine.asked_at_silence = Seconds{0};
}

void RentedMachines::take_ended(Machine& machine, const std::string& why, bool may_come_again) {
  SuppliedMachine& shown = machine.shown;
  const int lives = shown.life + 1;
  const bool again = may_come_again && lives < kMostLives;
  using State = SuppliedMachine::State;
  shown = {.state = again ? State::waiting : State::ended, .life = lives, .why = why};
  machine.rental.reset();
}

void RentedMachines::give_back_idle(const std::vector<std::string>& left) {
  for (auto& [name, machine] : machines_) {
    if (!machine.rental || std::ranges::find(left, name) != left.end()) continue;
    if (terms_.keep && machine.shown.state == SuppliedMachine::State::ready) continue;
    rentals_->give_back(*machine.rental, kDone);
    machine.rental.reset();
    machine.shown = {.life = machine.shown.life + 1, .why = kDone};
  }
}

void RentedMachines::order_next(const std::vector<std::string>& left) {
  auto rented = static_cast<std::size_t>(std::ranges::count_if(
      machines_, [](const auto& entry) { return entry.second.rental.has_value(); }));
  for (const std::string& name : left) {
    Machine* machine = machine_of(name);
    if (machine == nullptr || machine->rental || rented >= at_once_) continue;
    if (machine->shown.state != SuppliedMachine::State::waiting) continue;
    ask_for_egress();
    // What others cost less than they may is free once they are given back.
    const bool frees_money = !hold_ && !terms_.keep && rentals_->any_open();
    if (frees_money && rentals_->why_too_dear(machine->wanted.order)) continue;
    const Result<std::size_t> number = rentals_->order(machine->wanted.order);
    if (!number) {
      tell_(fmt::format("{}: not rented: {}", printable(name), number.error().text));
      take_ended(*machine, number.error().text, false);
      continue;
    }
    machine->rental = *number;
    machine->shown.state = SuppliedMachine::State::coming;
    ++rented;
  }
}

/// Asks the adapters once, before the first order, what egress costs.
void RentedMachines::ask_for_egress() {
  if (std::exchange(asked_for_egress_, true)) return;
  std::vector<MachineToRent*> wanted;
  for (auto& [name, machine] : machines_) wanted.push_back(&machine.wanted);
  take_told_egress(wanted);
}

void RentedMachines::note_fetched(const std::string& name, std::int64_t bytes) {
  for (std::size_t i = rentals_->size(); i-- > 0;) {
    if ((*rentals_)[i].order.lease.name != name) continue;
    if (const auto paid = rentals_->note_fetched(i, bytes); !paid)
      refuse(name, "what is fetched from it gets too dear: " + paid.error().text);
    return;
  }
}

void RentedMachines::note_silence(const std::string& name, Seconds time) {
  Machine* machine = machine_of(name);
  if (machine == nullptr || !machine->rental) return;
  if (time < machine->asked_at_silence) machine->asked_at_silence = Seconds{0};
  if (is_dead((*rentals_)[*machine->rental], time))
    return refuse(name, fmt::format("it was silent for {}", format_duration(time)));
  if (time < machine->asked_at_silence + contact_patience() / 2) return;
  machine->asked_at_silence = time;
  rentals_->look_again(*machine->rental);
}

void RentedMachines::refuse(const std::string& name, const std::string& why) {
  Machine* machine = machine_of(name);
  if (machine == nullptr || !machine->rental) return;
  rentals_->give_back(*machine->rental, why);
  take_ended(*machine, why, false);
}

std::string RentedMachines::cost_text() const {
  if (!rentals_) return {};
  return fmt::format("{} of at most {} for machines", dollar_text(rentals_->spent()),
                     dollar_text(rentals_->at_most()));
}

void RentedMachines::finish() {
  if (!rentals_) return;
  for (auto& [name, machine] : machines_) {
    if (!machine.rental) continue;
    if (terms_.keep && machine.shown.state == SuppliedMachine::State::ready)
      rentals_->keep(*machine.rental, *terms_.keep);
  }
  rentals_->end_all(kDone, kEndPatience);
}

std::vector<SuppliedLease> RentedMachines::leases() const {
  std::vector<SuppliedLease> leases;
  for (std::size_t i = 0; rentals_ && i < rentals_->size(); ++i) {
    const Rental& rental = (*rentals_)[i];
    // The last bytes may have come after the lease was let go.
    const auto newest = rentals_->ledger().find(rental.lease.id);
    leases.push_back({newest.value_or(rental.lease), rental.boot});
  }
  return leases;
}

}  // namespace lapcast
