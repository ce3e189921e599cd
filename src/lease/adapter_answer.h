#pragma once

#include <tl/expected.hpp>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/money.h"
#include "lease/lease.h"

namespace lapcast {

// An adapter is an executable lapcast-rent-NAME that knows one provider. docs/rent.md describes the
// contract: one verb as its argument, one JSON object on stdin, one JSON value on stdout.

/// Is the version of the contract that this lapcast speaks.
inline constexpr int kAdapterContract = 1;

/// Says why an adapter did not do what it was asked to.
struct AdapterError {
  RentRefusal refusal = RentRefusal::unclear;
  std::string text;  // one printable line
  friend bool operator==(const AdapterError&, const AdapterError&) = default;
};
template <class T>
using AdapterResult = tl::expected<T, AdapterError>;

/// Holds the answer to `describe`.
struct AdapterDescription {
  std::string name;  // of the provider, for people: "Google Cloud"
  bool idempotent = false;
  bool user_data = false;  // a shell script runs at the first boot, as root
  bool tells_host_key = false;
  bool tags = false;     // list finds leases by a tag; otherwise by their names
  bool extends = false;  // the verb `extend` exists
  bool power_off_ends_bill = false;
  std::string end_command = {};  // on the machine: ends the bill; empty = poweroff, if that does
  enum class Deadline { provider, machine, none } deadline = Deadline::none;
  Seconds min_term{0};
  Seconds settle{60};
  Billing billing;
  std::string user = "root";       // the login
  std::string deadline_text = {};  // who keeps the deadline, for people: "Google"
  std::string by_hand = {};        // a command that deletes MACHINE, for people
  friend bool operator==(const AdapterDescription&, const AdapterDescription&) = default;
};

/// Returns who ends a machine of this provider when this computer is off. A deadline of the machine
/// counts only where its power-off, or its end command, ends the bill.
Protection protection_of(const AdapterDescription& adapter);

/// Holds an entry of the answer to `offers`. Unknown numbers are absent.
struct AdapterOffer {
  std::string type, region, zone;
  bool spot = false;
  std::optional<HourlyPrice> price;
  std::string gpu = {};
  std::optional<double> gpu_count, gpu_memory_gib, vcpus, memory_gib;
  std::optional<bool> available;
  std::optional<Money> egress = {};  // per GB that leaves the machine
  friend bool operator==(const AdapterOffer&, const AdapterOffer&) = default;
};

/// Holds the answer to `list`.
struct MachineList {
  bool complete = true;
  std::vector<ProviderEntry> machines;
  friend bool operator==(const MachineList&, const MachineList&) = default;
};

// The answers of adapters; any text is accepted, and what breaks the contract is `unclear`.

AdapterResult<AdapterDescription> parse_description(std::string_view answer);
AdapterResult<std::vector<AdapterOffer>> parse_offers(std::string_view answer);
AdapterResult<ProviderEntry> parse_machine(std::string_view answer);
AdapterResult<MachineList> parse_machine_list(std::string_view answer);
/// Reads the answer to `delete` or `extend`: any JSON value without `error`.
AdapterResult<void> parse_done(std::string_view answer);
/// Returns whether an answer is an object with `error`.
bool tells_error(std::string_view answer);

}  // namespace lapcast
