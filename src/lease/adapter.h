#pragma once

#include <tl/expected.hpp>

#include <chrono>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "lease/lease.h"
#include "remote/command.h"

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
  bool tags = false;    // list finds leases by a tag; otherwise by their names
  bool extend = false;  // the verb `extend` exists
  bool power_off_ends_bill = false;
  std::string end_command = {};  // on the machine: ends the bill; empty = poweroff, if that does
  enum class Deadline { provider, machine, none } deadline = Deadline::none;
  Seconds min_term{0};
  Seconds settle{60};
  Billing billing;
  std::string user = "root";  // the login
  std::string by_hand = {};   // a command that deletes MACHINE, for people
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
  friend bool operator==(const AdapterOffer&, const AdapterOffer&) = default;
};

/// Holds the answer to `list`.
struct MachineList {
  bool complete = true;
  std::vector<ListedMachine> machines;
  friend bool operator==(const MachineList&, const MachineList&) = default;
};

// The answers of adapters; any text is accepted, and what breaks the contract is `unclear`.

AdapterResult<AdapterDescription> parse_description(std::string_view answer);
AdapterResult<std::vector<AdapterOffer>> parse_offers(std::string_view answer);
AdapterResult<ListedMachine> parse_machine(std::string_view answer);
AdapterResult<MachineList> parse_machine_list(std::string_view answer);
/// Reads the answer to `delete` or `extend`: any JSON value without `error`.
AdapterResult<void> parse_done(std::string_view answer);

// Requests to adapters

std::string offers_request(const std::vector<std::string>& types,
                           const std::vector<std::string>& regions);
/// Returns the request of create() for a lease. `seconds` is the time to the deadline.
std::string create_request(const Lease& lease, const std::string& ssh_key,
                           const std::string& user_data, Seconds seconds);
std::string list_request(const std::string& lease);
std::string delete_request(const std::string& lease, const MachineName& machine);

/// Returns the file of an adapter: of $LAPCAST_RENT_PATH (folders, separated by ':'), the user's
/// own folder ~/.config/lapcast/rent, libexec/lapcast beside the folder of the binary, or rent/ of
/// a source tree that the binary was built in. NAME has letters, digits, '-' and '_'. The reason
/// lists the adapters that exist.
Result<std::filesystem::path> find_adapter(const std::string& name);
/// Returns the names of all adapters that find_adapter() finds, sorted.
std::vector<std::string> adapter_names();

/// Says how long an adapter may take: create 120 s, other verbs 60 s. $LAPCAST_RENT_LIMIT sets both
/// for tests.
std::chrono::milliseconds adapter_limit(std::string_view verb);

/// Runs one verb of an adapter, and ends it after its limit. The adapter has a process group of its
/// own, which ends with this process, and this process's environment, because credentials are the
/// adapter's.
class AdapterCall {
 public:
  /// Limits an answer.
  static constexpr std::size_t kMostAnswer = std::size_t{16} << 20;

  /// Starts it. What cannot be started is answered at once, as unclear.
  AdapterCall(const std::filesystem::path& adapter, const std::string& verb,
              const std::string& request);

  /// Takes in output for at most that long. Returns whether the call is over.
  bool wait(std::chrono::milliseconds at_most);
  /// Returns the answer of a call that is over: its JSON text, or why there is none. The text of an
  /// error has the last line of the adapter's stderr.
  AdapterResult<std::string> answer() const;
  const std::string& verb() const { return verb_; }

 private:
  void give_up(std::string why);

  std::string verb_;
  std::optional<RunningCommand> process_;
  std::chrono::steady_clock::time_point started_;
  std::chrono::milliseconds limit_;
  std::string output_;
  std::optional<AdapterResult<std::string>> answer_;
};

/// Runs a verb to its end and returns its answer.
AdapterResult<std::string> ask_adapter(const std::filesystem::path& adapter,
                                       const std::string& verb, const std::string& request);

}  // namespace lapcast
