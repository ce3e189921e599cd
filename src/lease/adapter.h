#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "lease/adapter_answer.h"
#include "remote/command.h"

namespace lapcast {

// Requests to adapters
/// Returns the request of offers(); empty lists ask for all.
std::string offers_request(const std::vector<std::string>& types,
                           const std::vector<std::string>& regions);
/// Returns the request of create() for a lease. `seconds` is the time to the deadline.
std::string create_request(const Lease& lease, const std::string& ssh_key,
                           const std::string& user_data, Seconds seconds);
/// Returns the request of delete() for a machine of a lease.
std::string delete_request(const Lease& lease, const MachineName& machine);
/// Returns the request of extend(), which moves the deadline to the lease's.
std::string extend_request(const Lease& lease, Seconds seconds);

// Adapters as programs

/// Returns whether a text can be the name of an adapter: 1 to 64 letters, digits, '-' and '_'.
bool is_adapter_name(std::string_view name);
/// Returns the file of an adapter: of $LAPCAST_RENT_PATH (folders, separated by ':'), the user's
/// own folder ~/.config/lapcast/rent, libexec/lapcast beside the folder of the binary, or rent/ of
/// a source tree that the binary was built in. The reason says what is wrong with the name, or
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
  void take_end();

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
