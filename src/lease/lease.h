#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"

namespace lapcast {

// A lease is a machine that was ordered from a provider, from the moment before the request until
// nothing of it costs money any more. This file has no clock, process, socket or file.

/// Counts nanoseconds of UTC since 1970. Leases use it, and not the monotonic clock, because their
/// deadlines are absolute and outlive a reboot.
using UtcNs = std::int64_t;

enum class LeaseState {
  asked,      // in the ledger; the request may or may not have been sent
  created,    // the provider named a machine, which boots
  reachable,  // ssh has worked, with the right host key
  ending,     // to be deleted; it may still cost money
  gone,       // nothing of it costs money any more
};

/// Says who ends a machine when this computer is off.
enum class Protection {
  provider,       // the provider, at the deadline that create() named
  machine,        // the machine itself, by a power-off that ends the bill
  this_computer,  // nobody else: refused unless the user says --unprotected
};

/// Says why an adapter refused a request.
enum class RentRefusal {
  capacity,       // no machine of this type is left in this zone
  quota,          // the account may not have more of them
  credentials,    // the account's key is absent or refused
  no_such_offer,  // the provider has no such type, region or image
  too_dear,       // the price is above what was allowed
  limit,          // throttled: the same request may be sent again later
  unclear,        // no answer, bad JSON, a limit passed, or an error of another kind
};

/// Says how many bytes may be fetched from a machine before the limits are asked again: the laps of
/// many probes.
inline constexpr std::int64_t kFirstFetch = 100'000'000;

/// Is the highest price of egress that is believed, per GB.
inline constexpr Money kMostEgressPrice = Money::from_nanos(1000 * std::int64_t{1'000'000'000});

/// Describes the machine to rent. Empty texts are the adapter's defaults.
struct LeaseOrder {
  std::string name;     // of the machine in the fleet file, for people
  std::string adapter;  // NAME of lapcast-rent-NAME
  std::string type;     // as the provider calls it
  std::string region;
  std::string zone;
  std::string image;
  bool spot = false;
  Seconds term{0};                             // from the request to the deadline
  Seconds boot_limit{360};                     // from the request to the first login
  HourlyPrice price;                           // of the offer, until the provider tells another
  HourlyPrice most;                            // a machine that costs more is given back
  Billing billing;                             // how use becomes billed time
  std::optional<Money> egress = {};            // per GB that leaves the machine; none = not known
  std::int64_t may_fetch = kFirstFetch;        // bytes whose egress the limits have promised
  std::map<std::string, std::string> options;  // are handed to the adapter as they are
  friend bool operator==(const LeaseOrder&, const LeaseOrder&) = default;
};

/// Says what a provider's list tells about the state of a machine.
enum class ListedState { starting, running, ending, stopped, failed, gone };

/// Holds one entry of a provider's list: a machine, a disk or an address with the tag of a lease.
struct ProviderEntry {
  std::string lease;
  std::string machine;     // the provider's id
  bool is_machine = true;  // false: a disk or an address, which says nothing about the machine
  std::string region;
  std::string zone;
  ListedState state = ListedState::starting;
  bool costs = true;
  std::string address;
  int port = 22;
  std::string user;                   // empty = the adapter's usual one
  std::string host_key;               // "ssh-ed25519 AAAA..."; empty = the provider tells none
  std::optional<HourlyPrice> price;   // none = the provider tells none
  std::optional<UtcNs> created = {};  // as the provider says
  std::optional<UtcNs> ended = {};
  std::optional<UtcNs> preempted_at = {};  // when it will be, or was, taken back
  std::string hardware = {};               // for people: "NVIDIA L4, 8 vCPUs"
  friend bool operator==(const ProviderEntry&, const ProviderEntry&) = default;
};

/// Names something at a provider that is to be deleted.
struct MachineName {
  std::string machine;
  std::string region;
  std::string zone;
  friend bool operator==(const MachineName&, const MachineName&) = default;
};

struct Lease {
  std::string id;  // 12 hex digits: tag, name lapcast-ID and idempotency token
  LeaseOrder order;
  LeaseState state = LeaseState::asked;
  Protection protection = Protection::this_computer;
  bool idempotent = false;   // a repeated create() makes no second machine
  Seconds settle{60};        // how long the provider's list may still show an earlier state
  UtcNs asked = 0;           // when the line was written, before the request
  UtcNs deadline = 0;        // the machine is given back before it
  int creates = 0;           // requests that were sent, or were about to be
  int creates_answered = 0;  // of these
  int deletes = 0;
  std::optional<UtcNs> next_try;      // of create() or delete()
  std::optional<UtcNs> last_request;  // when the newest create() or delete() was sent or answered
  std::optional<UtcNs> created = {};  // when the machine was known
  std::optional<UtcNs> reachable = {};
  std::optional<UtcNs> ending = {};
  std::optional<UtcNs> absent = {};  // when the first of the newest lists without it was asked for
  std::optional<UtcNs> gone = {};    // when it stopped costing money, as far as is known
  std::optional<UtcNs> preempted_at = {};
  /// An unheld lease is ended at this time; 0 = when the keeper sees it for the first time.
  UtcNs keep_until = 0;
  bool is_kept = false;     // nobody holds it until then on purpose: --keep-machines
  bool was_listed = false;  // some list, or the answer to create(), showed a machine of it
  std::string machine;      // the provider's id; empty = not known
  std::string region;
  std::string zone;
  std::string address;
  int port = 22;
  std::string user = "root";
  std::string host_key;        // that the machine must show; empty = none is known before
  bool key_was_taken = false;  // the host key was accepted at the first contact
  HourlyPrice price;           // what is paid, as far as is known
  bool price_is_told = false;  // the provider told it
  std::int64_t fetched = 0;    // bytes that lapcast fetched from the machine
  std::optional<RentRefusal> refusal = {};
  std::string reason;  // why it ends or ended, for people; empty = it does not
  std::string scope;   // what its search budget is for, such as a sweep
  std::string owner;   // "user@host pid 123" that ordered it, for people
  friend bool operator==(const Lease&, const Lease&) = default;
};

// What may become known of a lease

/// Nothing new: only time has passed.
struct NoNews {};
/// The answer to create() names a machine.
struct MadeFact {
  ProviderEntry machine;
};
/// The answer to create() is an error; RentRefusal::unclear where there was none.
struct RefusedFact {
  RentRefusal refusal = RentRefusal::unclear;
  std::string text;
};
/// delete() was answered, whatever the answer says: nothing is believed of it.
struct DeleteFact {};
/// A list was read. It has only entries of this lease.
struct ListedFact {
  UtcNs asked = 0;        // when the list was asked for
  bool complete = false;  // all regions have answered
  std::vector<ProviderEntry> machines;
};
/// A list was asked for and failed: it says nothing about the lease.
struct ListFailedFact {};
/// ssh has logged in.
struct LoginFact {
  bool key_was_taken = false;
};
/// The user, the campaign or the keeper wants the lease to end.
struct EndFact {
  std::string reason;
};
using LeaseFact = std::variant<NoNews, MadeFact, RefusedFact, DeleteFact, ListedFact,
                               ListFailedFact, LoginFact, EndFact>;

// What to do next

enum class LeaseAct {
  wait,    // nothing: an answer is on its way, or time has to pass
  create,  // send create(), once
  list,    // ask for a list
  login,   // try ssh, and ask for a list
  remove,  // send delete() for each of `machines`, then ask for a list
  close,   // the lease is gone: remove its keys
};

struct LeaseStep {
  Lease lease;  // as it is to be written into the ledger before the act
  LeaseAct act = LeaseAct::wait;
  Seconds after{0};  // how long to wait before the act, unless something becomes known earlier
  std::vector<MachineName> machines;  // of LeaseAct::remove
};

/// Returns what a lease becomes by a fact at a time, and what to do then. The caller writes the new
/// lease into the ledger before it does that. The rules:
/// - create() is sent once, and again only to an idempotent adapter after an unclear answer.
/// - A lease whose create() was never sent ends at once; `creates` counts before the request.
/// - A refused or unclear create() leads to `ending`, never to `gone`: the answer may be wrong.
/// - A lease is gone after two complete lists without it, asked for at least `settle` apart and
///   after the last delete(), or after a complete list whose every entry has ended and costs
///   nothing. Answers to delete(), incomplete lists and failed lists never make it gone. Lists
///   count from `settle` after a create() that named no machine, twice that if it was not answered.
/// - A lease that is gone is open again when a machine of it turns up.
/// - Several entries may belong to one lease. All are deleted when it ends.
/// - A deadline is absolute. The lease ends a little before it (give_back_margin()).
LeaseStep next_step(Lease lease, const LeaseFact& fact, UtcNs now);

/// Returns how long before its deadline a machine is given back: 5 % of its term, 1 s to 60 s.
Seconds give_back_margin(Seconds term);

/// Returns whether the lease may still cost money.
inline bool is_open(const Lease& lease) {
  return lease.state != LeaseState::gone;
}

/// Returns whether the lease is neither ending nor gone.
inline bool is_used(const Lease& lease) {
  return lease.state < LeaseState::ending;
}

/// Returns "asked", "created" ...; the ledger and --json use these names.
std::string_view name_of(LeaseState state);
/// Returns "provider", "machine" or "this computer".
std::string_view name_of(Protection protection);
/// Returns "capacity", "no-such-offer" ..., as the contract writes them.
std::string_view name_of(RentRefusal refusal);
std::string_view name_of(ListedState state);

/// Returns the name of a lease for ssh and for the provider: "lapcast-5cb6fbbacaca".
std::string host_of_lease(std::string_view id);

}  // namespace lapcast
