#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/error.h"
#include "history/assessment.h"
#include "probe/request.h"
#include "query/program_content.h"
#include "store/store.h"

namespace lapcast {

/// Returns how many runs of that kind count, by candidate name. Interrupted runs do not count;
/// failed ones only if failures are not to be tried again.
std::map<std::string, std::size_t> finished_runs(const std::vector<Run>& runs, RunKind kind,
                                                 bool retry_failed);

/// Returns the names of the finished candidates: those with a run in finished_runs().
std::set<std::string> finished_candidates(const std::vector<Run>& runs, RunKind kind,
                                          bool retry_failed);

/// Returns the numbers from 0 to count - 1 in a random order that depends only on `count` and
/// `seed`.
std::vector<std::size_t> random_order(std::size_t count, std::uint64_t seed);

/// Returns the remaining probes of `candidates`, in an order that depends only on the sweep's id. A
/// probe that is under way on a remote machine keeps the run id of its pending run, so that it is
/// followed, not repeated. A candidate may be in the list several times, for as many runs.
std::vector<ProbeRequest> remaining(const std::vector<RunContext>& candidates, const Sweep& sweep,
                                    const std::set<std::string>& done,
                                    const std::vector<PendingRun>& pending_runs,
                                    const std::function<ProbeRequest(RunContext)>& request);

/// Returns the newest run of each candidate and kind; an interrupted one only if there is no other.
std::vector<Run> newest_of_each(std::vector<Run> runs);

/// Returns the candidates whose probes are the first `count` by forecast time or cost, if they were
/// probed only once. A stored run only shows how good its candidate is: only `candidates` are
/// started. `forecast` is called for each probe.
std::vector<RunContext> to_confirm(const std::vector<RunContext>& candidates,
                                   const std::vector<Run>& runs, std::size_t count,
                                   const std::function<Assessment(const Run&)>& forecast);

/// Describes what a command is about to measure.
struct WantedSweep {
  std::string key;
  std::string former_key = {};  // the key that older versions gave it; empty = the same
  std::string fleet_file;       // empty = a set of repeated runs
  std::string subject;          // what the runs of the set do
  std::string folder;           // where it begins
  std::string name;             // the user's own; empty = none
  ProgramContent program;
  std::string typed = {};  // the command, secrets masked; empty = not known
  bool again = false;      // start from scratch, whatever is known
  bool keep = false;       // continue, even though the program changed
};

/// Holds the sweep of a command, and messages for the user about how it was found.
struct FoundSweep {
  Sweep sweep;
  std::vector<std::string> said;
};

/// Returns the newest sweep of the key whose program has the same content. With `keep` it returns
/// the newest sweep of the key, even if the program changed since. Otherwise it stores and returns
/// a new sweep, and says what changed since the newest one. It also names the runs of sweeps over
/// the same fleet file that are still under way, because no command follows them any more.
FoundSweep find_or_begin(Store& store, const WantedSweep& wanted);

/// Returns the files of a sweep's program that have changed since it began; none if the sweep's
/// description does not name its program.
std::vector<std::string> changed_since(const Sweep& sweep, const ProgramContent& now);

/// Returns Sweep::description: a JSON object with `program`, the files of the program with the hash
/// of each, for a set of runs `subject`, and `typed`, the command.
std::string describe_sweep(const std::string& subject, const ProgramContent& program,
                           const std::string& typed = "");
/// Returns the command that a description has; empty where it has none.
std::string command_of_description(const std::string& description);
/// Returns the program of a description of any bytes; nothing when the description has none.
std::optional<ProgramContent> program_of_description(const std::string& description);

/// Keeps two lapcasts with one store from measuring the same thing at once. All locks of a store
/// are single bytes of one file next to it (STORE-lock), which is empty, is never removed, and
/// whose locks the kernel releases however their holder ends. A process holds one at a time; its
/// children do not inherit it.
class SweepLock {
 public:
  /// Called while another process holds the lock, first immediately and then about ten times a
  /// second; `holder` is 0 if it is not known, as on another machine. Returns false to give up.
  using OnWait = std::function<bool(pid_t holder)>;

  /// Waits for the lock of `key`. Returns nullopt if on_wait gave up. If the file system has no
  /// locks, or the file cannot be created, it does not wait: why_not_held() gives the reason.
  static std::optional<SweepLock> acquire(const std::filesystem::path& store_file,
                                          const std::string& key, const OnWait& on_wait);
  const std::optional<Reason>& why_not_held() const { return why_not_held_; }

  SweepLock(SweepLock&& other) noexcept;
  SweepLock& operator=(SweepLock&&) = delete;
  ~SweepLock();

 private:
  SweepLock() = default;
  int fd_ = -1;
  std::optional<Reason> why_not_held_;
};

}  // namespace lapcast
