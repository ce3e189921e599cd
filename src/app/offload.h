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

// Whole trainings that are sent to a machine and go on by themselves.

/// The purpose of the pending runs of trainings.
inline constexpr const char* kOffload = "offload";

/// Returns the only candidate of a machine for a program, with one value for each placeholder: of
/// `given`, else of the fleet file. `common`: the part of its context that does not depend on it.
/// Throws Error (usage) when a placeholder has no value or several.
RunContext only_candidate(const FleetMachine& machine, PlaceholderValues given,
                          const PlaceholderValues& of_fleet, const RunContext& common);

/// Throws Error when a training cannot begin: its program is not on this machine, which is to run
/// it, or its host cannot be reached.
void check_destination(const ProbeRequest& request, const FleetMachine& machine,
                       const Interrupt& interrupt);

/// Stores a training as a pending run, sends what it needs and starts it. The Reason says why it
/// may not have begun; the pending run stays, so that asking for it tells.
Result<void> begin_training(Store& store, const ProbeRequest& request, RemoteRun& remote,
                            const RemoteProgress& tell);

/// A training that was sent to a machine, as the store knows it.
struct OffloadedJob {
  PendingRun pending_run;
  ProbeRequest request;
};

/// Returns all trainings on their way, the newest last. Throws Error (store) when a request cannot
/// be read.
std::vector<OffloadedJob> offloaded_in(const Store& store);

/// Returns the training whose id begins so; "last" is the newest. Throws Error (usage) unless there
/// is exactly one.
OffloadedJob offloaded_of(const Store& store, const std::string& id_prefix);

/// Holds what was heard of a training.
struct OffloadState {
  std::optional<ProbeProgress> progress = {};  // the last
  std::string note = {};                       // "waiting in the queue", "starting on node-3"
  std::optional<Run> run = {};                 // it ended
  std::optional<Reason> lost = {};             // there will never be a result
  std::optional<Reason> out_of_reach = {};     // the machine cannot be asked
};
/// Returns the state in words: "running", "lost: ...", "ended".
std::string state_text(const OffloadState& state);

/// Watches one training. It is never begun by looking at it: it is lost when its folder is gone.
class OffloadedRun {
 public:
  /// The job and the interrupt must outlive it.
  OffloadedRun(const OffloadedJob& job, const Interrupt& interrupt);
  OffloadedRun(const OffloadedJob& job, const Interrupt& interrupt,
               std::unique_ptr<RemoteRun> remote);

  /// Connects to the training. Returns false when it is lost or cannot be asked, as the state says.
  bool find();
  /// Takes what came since the last call, after waiting for at most that long.
  const OffloadState& follow(std::chrono::milliseconds at_most);
  /// Takes all that was said so far.
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
};

/// A training together with how it stands.
struct AskedJob {
  OffloadedJob job;
  OffloadState state;
};
/// Asks each training on its way how it stands; a host that is out of reach is asked once. `tell`
/// is told of each before it is asked. Returns early, with those asked, at an interrupt.
std::vector<AskedJob> ask_all(const Store& store, const Interrupt& interrupt,
                              const std::function<void(const OffloadedJob&)>& tell);

/// Throws the Error for a training that nothing can be done with: it is lost or cannot be asked.
[[noreturn]] void refuse(const OffloadedJob& job, const OffloadState& state);

/// Follows a training until it is over or the user interrupts; `tell` is told once a second.
void follow_to_the_end(OffloadedRun& run, const Interrupt& interrupt,
                       const std::function<void(const OffloadState&)>& tell);

/// What fetch_training() did.
struct FetchedTraining {
  FilesNotCopied left;                     // on the machine
  std::optional<Run> run = {};             // it ended, and is in the store now
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
