#include "lease/lease.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/units.h"

namespace lapcast {
namespace {

constexpr int kMostCreates = 4;         // of an idempotent adapter that gives no clear answer
constexpr Seconds kThrottled{5};        // before a throttled create() is repeated
constexpr Seconds kLongestPause{60};    // between two create() or delete() of a lease
constexpr Seconds kUsedButAbsent{10};   // between two lists without a machine that is used
constexpr Seconds kBootingInterval{5};  // between two lists
constexpr Seconds kReachableInterval{10};
constexpr Seconds kPatientEnd{600};  // of a give-back that does not succeed, which is then rarer

UtcNs after(UtcNs time, Seconds later) {
  return time + to_ns(later);
}

/// Returns first * 2^times, at most kLongestPause.
Seconds doubled(Seconds first, int times) {
  return std::min(kLongestPause, first * static_cast<double>(1 << std::clamp(times, 0, 10)));
}

/// Returns the time between two lists while something is awaited: less for a provider whose lists
/// are quickly right.
Seconds list_interval(const Lease& lease) {
  return std::clamp(lease.settle / 6, Seconds{0.2}, kBootingInterval);
}

void end_lease(Lease& lease, UtcNs now, std::string reason) {
  if (lease.state == LeaseState::ending || lease.state == LeaseState::gone) return;
  lease.state = LeaseState::ending;
  lease.ending = now;
  lease.absent.reset();
  lease.next_try.reset();
  if (lease.reason.empty()) lease.reason = std::move(reason);
}

/// Returns whether an entry has ended and costs nothing any more. Providers may let a machine that
/// starts cost nothing, and it has not ended.
bool is_over(const ProviderEntry& entry) {
  using enum ListedState;
  return entry.state != starting && entry.state != running && !entry.costs;
}

/// Takes over what an entry says of the machine of the lease.
void learn(Lease& lease, const ProviderEntry& entry, UtcNs now) {
  if (lease.state == LeaseState::asked) {
    lease.state = LeaseState::created;
    lease.created = now;
    lease.next_try.reset();
  }
  lease.machine = entry.machine;
  lease.region = entry.region;
  lease.zone = entry.zone;
  if (!entry.address.empty()) lease.address = entry.address;
  lease.port = entry.port;
  if (!entry.user.empty()) lease.user = entry.user;
  if (lease.host_key.empty()) lease.host_key = entry.host_key;
  if (entry.preempted_at) lease.preempted_at = entry.preempted_at;
  if (!entry.price) return;
  lease.price = *entry.price;
  lease.price_is_told = true;
  if (lease.price <= lease.order.most || !is_used(lease)) return;
  lease.refusal = RentRefusal::too_dear;
  end_lease(lease, now,
            fmt::format("the provider bills {}/h, more than the {}/h that were allowed",
                        dollar_text(lease.price.per_hour), dollar_text(lease.order.most.per_hour)));
}

// Facts

void take(Lease&, const NoNews&, UtcNs) {}
void take(Lease&, const ListFailedFact&, UtcNs) {}

void take(Lease& lease, const DeleteFact&, UtcNs now) {
  lease.last_request = now;
}

/// Makes a lease open again, because the lists that closed it were wrong.
void reopen(Lease& lease) {
  lease.state = LeaseState::ending;
  lease.gone.reset();
}

void take(Lease& lease, const MadeFact& fact, UtcNs now) {
  if (!is_open(lease)) reopen(lease);
  lease.creates_answered = lease.creates;
  lease.was_listed = true;
  lease.absent.reset();
  lease.last_request = now;
  learn(lease, fact.machine, now);
}

void take(Lease& lease, const RefusedFact& fact, UtcNs now) {
  if (!is_open(lease)) return;
  lease.creates_answered = lease.creates;
  lease.last_request = now;
  lease.absent.reset();
  if (lease.state != LeaseState::asked) return;
  if (lease.idempotent && fact.refusal == RentRefusal::limit) {
    lease.next_try = after(now, doubled(kThrottled, lease.creates - 1));
    return;
  }
  if (lease.idempotent && fact.refusal == RentRefusal::unclear && lease.creates < kMostCreates) {
    lease.next_try = after(now, doubled(Seconds{1}, lease.creates - 1));
    return;
  }
  lease.refusal = fact.refusal;
  end_lease(lease, now, fmt::format("{}: {}", name_of(fact.refusal), printable(fact.text)));
}

/// Counts a complete list without the machine. Returns whether it is the second of two that were
/// asked for at least `apart` from each other.
bool is_absent_again(Lease& lease, UtcNs asked, Seconds apart) {
  if (lease.absent && asked - *lease.absent >= to_ns(apart)) return true;
  if (!lease.absent || asked < *lease.absent) lease.absent = asked;
  return false;
}

void take_in_use(Lease& lease, const ListedFact& fact, UtcNs now) {
  const auto is_own = [&](const ProviderEntry& entry) {
    return entry.is_machine && (lease.machine.empty() || entry.machine == lease.machine);
  };
  const auto own = std::ranges::find_if(fact.machines, is_own);
  if (own != fact.machines.end()) {
    lease.absent.reset();
    learn(lease, *own, now);
    const bool lives = own->state == ListedState::starting || own->state == ListedState::running;
    if (lives) return;
    end_lease(lease, now,
              own->preempted_at ? std::string("the provider took it back")
                                : fmt::format("it ended by itself: the provider lists it as {}",
                                              name_of(own->state)));
    return;
  }
  // A new machine may not be listed yet, and no machine was seen before create() was answered.
  const bool must_be_listed =
      lease.created && fact.complete && fact.asked >= after(*lease.created, lease.settle);
  const Seconds apart = std::min(kUsedButAbsent, lease.settle);
  if (must_be_listed && is_absent_again(lease, fact.asked, apart))
    end_lease(lease, now, "the provider does not list it any more");
}

void close_lease(Lease& lease, UtcNs at) {
  lease.state = LeaseState::gone;
  lease.gone = at;
}

/// Returns from when on a list shows what the newest request has done. A machine that was never
/// seen may be shown late, and the program that carries a create() may still send it for a while.
UtcNs lists_count_from(const Lease& lease) {
  const bool is_answered = lease.creates_answered == lease.creates;
  const Seconds delay = !is_answered       ? 2 * lease.settle
                        : lease.was_listed ? Seconds{0}
                                           : lease.settle;
  return std::max(after(lease.last_request.value_or(lease.asked), delay),
                  lease.ending.value_or(lease.asked));
}

/// Returns when an entry ended, at the latest. Only differences of the provider's clock count.
UtcNs end_of(const Lease& lease, const ProviderEntry& entry, UtcNs now) {
  const bool is_known = entry.is_machine && entry.created && entry.ended && lease.created;
  if (!is_known || *entry.ended < *entry.created) return now;
  return std::min(now, *lease.created + (*entry.ended - *entry.created));
}

void take_in_ending(Lease& lease, const ListedFact& fact, UtcNs now) {
  if (lease.machine.empty() && !fact.machines.empty()) learn(lease, fact.machines.front(), now);
  const bool counts = fact.complete && fact.asked >= lists_count_from(lease);
  if (fact.machines.empty()) {
    if (counts && is_absent_again(lease, fact.asked, lease.settle))
      close_lease(lease, *lease.absent);
    return;
  }
  lease.absent.reset();
  if (!counts || !std::ranges::all_of(fact.machines, is_over)) return;
  UtcNs ended = lease.asked;
  for (const ProviderEntry& entry : fact.machines)
    ended = std::max(ended, end_of(lease, entry, now));
  close_lease(lease, ended);
}

void take(Lease& lease, const ListedFact& fact, UtcNs now) {
  const bool lives = !std::ranges::all_of(fact.machines, is_over);
  if (lease.gone && lives && fact.asked >= after(*lease.gone, lease.settle)) reopen(lease);
  if (!is_open(lease)) return;
  if (!fact.machines.empty()) lease.was_listed = true;
  lease.state == LeaseState::ending ? take_in_ending(lease, fact, now)
                                    : take_in_use(lease, fact, now);
}

void take(Lease& lease, const LoginFact& fact, UtcNs now) {
  if (lease.state != LeaseState::created && lease.state != LeaseState::reachable) return;
  lease.key_was_taken = lease.key_was_taken || fact.key_was_taken;
  if (lease.state == LeaseState::created) lease.reachable = now;
  lease.state = LeaseState::reachable;
}

void take(Lease& lease, const EndFact& fact, UtcNs now) {
  end_lease(lease, now, fact.reason);
}

/// Ends a lease whose time is over.
void take_time(Lease& lease, UtcNs now) {
  if (!is_used(lease)) return;
  if (now >= lease.deadline - to_ns(give_back_margin(lease.order.term))) {
    end_lease(lease, now, "its deadline came");
  } else if (lease.state != LeaseState::reachable &&
             now >= after(lease.asked, lease.order.boot_limit)) {
    end_lease(
        lease, now,
        fmt::format("it could not be reached within {}", format_duration(lease.order.boot_limit)));
  }
}

// Acts

/// Returns whether the pause before the next try lasts. No pause is longer than kLongestPause,
/// unless the clock was put back.
bool must_wait(const Lease& lease, UtcNs now) {
  return lease.next_try && now < *lease.next_try && from_ns(*lease.next_try - now) <= kLongestPause;
}

LeaseStep act_on_asked(Lease lease, UtcNs now) {
  const bool is_due = lease.creates == 0 || (lease.next_try && !must_wait(lease, now));
  if (!is_due) {
    const Seconds rest = lease.next_try ? from_ns(*lease.next_try - now) : kBootingInterval;
    return {.lease = std::move(lease), .act = LeaseAct::wait, .after = rest};
  }
  ++lease.creates;
  lease.next_try.reset();
  lease.last_request = now;
  return {.lease = std::move(lease), .act = LeaseAct::create};
}

/// Returns the step that deletes things, unless the pause after the last delete() lasts.
LeaseStep removal(Lease lease, std::vector<MachineName> machines, UtcNs now) {
  if (must_wait(lease, now)) {
    const Seconds rest = std::min(from_ns(*lease.next_try - now), list_interval(lease));
    return {.lease = std::move(lease), .act = LeaseAct::list, .after = rest};
  }
  lease.next_try = after(now, doubled(Seconds{1}, lease.deletes));
  lease.last_request = now;
  ++lease.deletes;
  return {.lease = std::move(lease), .act = LeaseAct::remove, .machines = std::move(machines)};
}

LeaseStep act_on_used(Lease lease, const LeaseFact& fact, UtcNs now) {
  std::vector<MachineName> extras;  // further machines of this lease, from a repeated request
  if (const auto* list = std::get_if<ListedFact>(&fact))
    for (const ProviderEntry& entry : list->machines)
      if (entry.is_machine && entry.machine != lease.machine && !is_over(entry))
        extras.push_back({entry.machine, entry.region, entry.zone});
  if (!extras.empty() && !must_wait(lease, now))
    return removal(std::move(lease), std::move(extras), now);
  const bool is_reached = lease.state == LeaseState::reachable;
  const Seconds pause =
      is_reached ? std::min(lease.settle, kReachableInterval) : list_interval(lease);
  const LeaseAct act = is_reached || lease.address.empty() ? LeaseAct::list : LeaseAct::login;
  return {.lease = std::move(lease), .act = act, .after = pause};
}

LeaseStep act_on_ending(Lease lease, const LeaseFact& fact, UtcNs now) {
  if (lease.creates == 0 && !lease.was_listed) {  // nothing was ever asked for
    close_lease(lease, now);
    return {.lease = std::move(lease), .act = LeaseAct::close};
  }
  if (const auto* list = std::get_if<ListedFact>(&fact); list && !list->machines.empty()) {
    std::vector<MachineName> left;
    for (const ProviderEntry& entry : list->machines)
      if (!is_over(entry)) left.push_back({entry.machine, entry.region, entry.zone});
    if (!left.empty()) return removal(std::move(lease), std::move(left), now);
  }
  if (lease.deletes == 0 && !lease.machine.empty()) {
    MachineName known{lease.machine, lease.region, lease.zone};
    return removal(std::move(lease), {std::move(known)}, now);
  }
  const bool was_listed_now =
      std::holds_alternative<ListedFact>(fact) || std::holds_alternative<ListFailedFact>(fact);
  Seconds pause = was_listed_now ? list_interval(lease) : Seconds{0};
  if (was_listed_now && lease.absent)
    pause = std::max(pause, from_ns(after(*lease.absent, lease.settle) - now));
  const bool lasts = was_listed_now && lease.ending && now > after(*lease.ending, kPatientEnd);
  pause = lasts ? kLongestPause : std::min(pause, kLongestPause);
  return {.lease = std::move(lease), .act = LeaseAct::list, .after = pause};
}

template <class Name, std::size_t size>
std::string_view text_at(const std::array<std::string_view, size>& names, Name name) {
  return names.at(static_cast<std::size_t>(name));
}

}  // namespace

LeaseStep next_step(Lease lease, const LeaseFact& fact, UtcNs now) {
  std::visit([&](const auto& each) { take(lease, each, now); }, fact);
  take_time(lease, now);
  switch (lease.state) {
    case LeaseState::asked:
      return act_on_asked(std::move(lease), now);
    case LeaseState::created:
    case LeaseState::reachable:
      return act_on_used(std::move(lease), fact, now);
    case LeaseState::ending:
      return act_on_ending(std::move(lease), fact, now);
    case LeaseState::gone:
      break;
  }
  return {.lease = std::move(lease), .act = LeaseAct::close};
}

Seconds give_back_margin(Seconds term) {
  return std::clamp(term * 0.05, Seconds{1}, Seconds{60});
}

std::string_view name_of(LeaseState state) {
  return text_at<LeaseState, 5>({"asked", "created", "reachable", "ending", "gone"}, state);
}

std::string_view name_of(Protection protection) {
  return text_at<Protection, 3>({"provider", "machine", "this computer"}, protection);
}

std::string_view name_of(RentRefusal refusal) {
  return text_at<RentRefusal, 7>(
      {"capacity", "quota", "credentials", "no-such-offer", "too-dear", "limit", "unclear"},
      refusal);
}

std::string_view name_of(ListedState state) {
  return text_at<ListedState, 6>({"starting", "running", "ending", "stopped", "failed", "gone"},
                                 state);
}

std::string host_of_lease(std::string_view id) {
  return fmt::format("lapcast-{}", id);
}

}  // namespace lapcast
