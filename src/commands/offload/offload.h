#pragma once

#include <chrono>
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

/// Tells the pending runs of offloaded trainings, which go on by themselves, from other ones.
inline constexpr const char* kOffload = "offload";

/// Returns the only candidate of a machine for a program, with one value for each placeholder: of
/// `given`, else of the fleet file. `common` is the part of its context that is the same on all
/// machines. Throws Error (usage) when a placeholder has no value or several.
RunContext only_candidate(const FleetMachine& machine, PlaceholderValues given,
                          const PlaceholderValues& of_fleet, const RunContext& common);

/// Throws Error when a training cannot begin: its program is not on this machine, which is to run
/// it, or its host cannot be reached.
void check_destination(const ProbeRequest& request, const FleetMachine& machine,
                       const Interrupt& interrupt);

/// Stores a training as a pending run, sends what it needs and starts it. The Reason says why it
/// may not have begun; the pending run stays, so that asking for its state shows it, and with it
/// the command `typed`, which starts such a training.
Result<void> begin_training(Store& store, const ProbeRequest& request, const std::string& typed,
                            RemoteRun& remote, const RemoteProgress& tell);

/// Holds a training that was sent to a machine, as the store knows it.
struct OffloadedJob {
  PendingRun pending_run;
  ProbeRequest request;
  std::string typed = {};  // the command that sent it, until it is known to have begun
};

/// Returns all trainings on their way, the newest last. Throws Error (store) when a request cannot
/// be read.
std::vector<OffloadedJob> offloaded_in(const Store& store);

/// Returns the training whose id begins so; "last" is the newest. Throws Error (usage) unless there
/// is exactly one.
OffloadedJob offloaded_of(const Store& store, const std::string& id_prefix);

/// Holds what was heard of a training.
struct OffloadState {
  std::optional<ProbeProgress> progress = {};  // the last message about it
  std::string note = {};                       // "waiting in the queue", "starting on node-3"
  std::optional<Run> run = {};                 // it ended
  std::optional<Reason> lost = {};             // there will never be a result
  bool never_began = false;                    // the reason is that it was never sent
  std::optional<Reason> out_of_reach = {};     // the machine cannot be asked
};
/// Returns the state in words: "running", "lost: ...", "never began ...", "ended".
std::string state_text(const OffloadState& state);

/// Watches one training. Watching never begins it: it is lost when its folder is gone, and never
/// began when lapcast was cut off before there was one.
class OffloadedRun {
 public:
  /// Refers to the job and the interrupt, which must outlive the object. Without `remote` it
  /// follows the run that the job's request leads to.
  OffloadedRun(const OffloadedJob& job, const Interrupt& interrupt,
               std::unique_ptr<RemoteRun> remote = nullptr);

  /// Connects to the training. Returns false when it is lost or cannot be asked, as the state says.
  bool find();
  /// Takes the messages since the last call, after waiting for at most that long.
  const OffloadState& follow(std::chrono::milliseconds at_most);
  /// Takes all messages that were sent so far.
  const OffloadState& catch_up();
  const OffloadState& state() const { return state_; }
  bool is_over() const { return state_.run || state_.lost; }
  const OffloadedJob& job() const { return job_; }
  RemoteRun& remote() { return *remote_; }

 private:
  const OffloadedJob& job_;
  const Interrupt& interrupt_;
  std::unique_ptr<RemoteRun> remote_;
  OffloadState state_;
  std::optional<bool> caught_up_;  // RemoteNews::caught_up of any news so far
};

/// Holds a training with its state.
struct AskedJob {
  OffloadedJob job;
  OffloadState state;
};
/// Asks for the state of each training on its way; a host that is out of reach is asked once.
/// `tell` receives each training before it is asked. At an interrupt the result holds only those
/// that were asked.
std::vector<AskedJob> ask_all(const Store& store, const Interrupt& interrupt,
                              const std::function<void(const OffloadedJob&)>& tell);

/// Throws the Error for a training that nothing can be done with: it is lost or cannot be asked.
[[noreturn]] void refuse(const OffloadedJob& job, const OffloadState& state);

/// Follows a training until it is over or the user interrupts; `tell` receives its state once a
/// second.
void follow_to_the_end(OffloadedRun& run, const Interrupt& interrupt,
                       const std::function<void(const OffloadState&)>& tell);

/// Says what fetch_training() did.
struct FetchedTraining {
  FilesNotCopied left;                     // files that stay on the machine
  std::optional<Run> run = {};             // set when it ended: the run is in the store now
  std::optional<Reason> not_removed = {};  // why its folder is still on the machine
};
/// Brings what a training wrote into a folder, which is created with mode 0700 when it is absent.
/// One that has ended is stored, and its folder on the machine is removed unless `keep`. Throws
/// Error when it is lost, cannot be asked or its files cannot be copied.
FetchedTraining fetch_training(Store& store, OffloadedRun& run, const std::filesystem::path& folder,
                               bool keep);

/// Ends a training that was found, and waits until it has ended. Throws Error when the order does
/// not arrive, or when the user interrupts the waiting.
void stop_training(OffloadedRun& run, const Interrupt& interrupt,
                   const std::function<void(const OffloadState&)>& tell);

/// Stores what is known of a training, and removes its folder unless it was not `found`. Returns
/// why the folder is still on the machine.
std::optional<Reason> forget_training(Store& store, OffloadedRun& run, bool found);

}  // namespace lapcast
