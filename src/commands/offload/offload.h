#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "fleet/candidates.h"
#include "fleet/fleet_file.h"
#include "probe/interrupt.h"
#include "remote/remote_request.h"
#include "remote/remote_run.h"
#include "store/store.h"

namespace lapcast {

/// Marks the pending runs of offloaded trainings, which continue by themselves.
inline constexpr const char* kOffload = "offload";

/// Marks those of the sessions of a training (run/sessions.h), which the command that began the
/// training follows and brings home.
inline constexpr const char* kSession = "session";

/// Throws Error if a training cannot begin: its program is missing on this machine, which is to run
/// it, or its host cannot be reached.
void check_destination(const ProbeRequest& request, const FleetMachine& machine,
                       const Interrupt& interrupt);

/// Warns where the newest run of a training's program wrote files outside its run folder, which
/// stay on another machine.
void warn_of_files_left(const Store& store, const RunContext& context);

/// Returns the pending run of a training with `typed`, the command that starts such a training.
PendingRun pending_training(const ProbeRequest& request, const char* purpose,
                            const std::string& typed);

/// Stores a training as a pending run, sends what it needs and starts it. The Reason says why it
/// may not have begun; the pending run stays, so that asking for its state shows it together with
/// `typed`, the command that starts such a training.
Result<void> begin_training(Store& store, const ProbeRequest& request, const std::string& typed,
                            RemoteRun& remote, const RemoteProgress& tell);

/// Describes a training that was sent to a machine, as the store knows it.
struct OffloadedJob {
  PendingRun pending_run;
  ProbeRequest request;
  std::string typed = {};  // the command that sent it; empty once it is known to have begun
};

/// Returns all pending trainings, the newest last. Throws Error (store) if a request cannot be
/// read.
std::vector<OffloadedJob> offloaded_in(const Store& store);

/// Returns the training whose id begins with this text; "last" is the newest. Throws Error (usage)
/// unless there is exactly one.
OffloadedJob offloaded_of(const Store& store, const std::string& id_prefix);

struct OffloadState {
  std::optional<ProbeProgress> progress = {};  // the last report
  std::optional<Run> so_far = {};              // what was measured by then, as last told
  std::string note = {};                       // "waiting in the queue", "starting on node-3"
  std::optional<Run> run = {};                 // set when it has ended
  std::optional<Reason> lost = {};             // why there will never be a result
  bool never_began = false;                    // `lost` says that it was never sent
  std::optional<Reason> out_of_reach = {};     // why the machine cannot be asked
};
/// Returns the state in words: "running", "lost: ...", "never began ...", "ended".
std::string state_text(const OffloadState& state);

/// Watches one training, but never begins it. A training is lost if its folder is gone, and never
/// began if lapcast was cut off before there was one.
class OffloadedRun {
 public:
  /// Refers to the job and the interrupt, which must outlive the object. Without `remote` it
  /// follows the run of the job's request.
  OffloadedRun(const OffloadedJob& job, const Interrupt& interrupt,
               std::unique_ptr<RemoteRun> remote = nullptr);

  /// Connects to the training. Returns false if it is lost or cannot be asked; the state says why.
  bool find();
  /// Processes the messages since the last call, after waiting for at most this time.
  const OffloadState& follow(std::chrono::milliseconds at_most);
  /// Processes all messages that were sent so far.
  const OffloadState& catch_up();
  const OffloadState& state() const { return state_; }
  bool is_over() const { return state_.run || state_.lost; }
  const OffloadedJob& job() const { return job_; }
  RemoteRun& remote() { return *remote_; }

  /// Counts bytes that came from the machine: where it is rented they may cost money.
  void count(std::int64_t bytes);

 private:
  const OffloadedJob& job_;
  const Interrupt& interrupt_;
  std::unique_ptr<RemoteRun> remote_;
  OffloadState state_;
  std::int64_t came_ = 0;          // bytes that are not in the ledger yet
  std::optional<bool> caught_up_;  // RemoteNews::caught_up of any news so far
};

struct AskedJob {
  OffloadedJob job;
  OffloadState state;
};
/// Asks for the state of each pending training; a host that is out of reach is asked once. `tell`
/// receives each training before it is asked. At an interrupt the result has only those that were
/// asked.
std::vector<AskedJob> ask_all(const Store& store, const Interrupt& interrupt,
                              const std::function<void(const OffloadedJob&)>& tell);

/// Throws the Error for a training that is lost or cannot be asked.
[[noreturn]] void refuse(const OffloadedJob& job, const OffloadState& state);

/// Follows a training until it has ended or the user interrupts; `tell` receives its state once a
/// second.
void follow_to_the_end(OffloadedRun& run, const Interrupt& interrupt,
                       const std::function<void(const OffloadState&)>& tell);

struct FetchedTraining {
  FilesNotCopied left;                     // files that stay on the machine
  std::optional<Run> run = {};             // set if it ended: the run is in the store now
  std::optional<Reason> not_removed = {};  // why its folder is still on the machine
};
/// Copies the files of a training into a folder, which is created with mode 0700 if it is absent.
/// If the training has ended, stores it, and removes its folder from the machine unless `keep`.
/// Throws Error if it is lost, cannot be asked or its files cannot be copied.
FetchedTraining fetch_training(Store& store, OffloadedRun& run, const std::filesystem::path& folder,
                               bool keep);

/// Ends a training that was found, and waits for its end. Throws Error if the order does not
/// arrive, or if the user interrupts the waiting.
void stop_training(OffloadedRun& run, const Interrupt& interrupt,
                   const std::function<void(const OffloadState&)>& tell);

/// Stores what is known of a training, and removes its folder if it was `found`. Returns the reason
/// if the folder is still on the machine.
std::optional<Reason> forget_training(Store& store, OffloadedRun& run, bool found);

}  // namespace lapcast
