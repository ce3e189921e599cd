#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/globals.h"
#include "probe/interrupt.h"
#include "remote/remote_request.h"
#include "remote/remote_run.h"

namespace lapcast {

/// What errands of trainings that were sent to a machine are for.
inline constexpr const char* kOffload = "offload";

/// A training that was sent to a machine, as the store knows it.
struct OffloadedJob {
  PendingRun pending_run;
  ProbeRequest request;
};

/// All of them, the newest last. One whose request cannot be read is an Error (store).
std::vector<OffloadedJob> offloaded_in(const Store& store);

/// The only one whose id begins so, "last" = the newest. Error (usage) when none or several do.
OffloadedJob offloaded_of(const Store& store, const std::string& id_prefix);

/// How it stands, as far as was heard.
struct OffloadState {
  std::optional<ProbeProgress> progress;  // the last
  std::string note;                       // "pending: Resources", "starting on node-3"
  std::optional<Run> run;                 // it ended
  std::optional<Reason> lost;             // there will never be a result
  std::optional<Reason> out_of_reach;     // the machine cannot be asked
};

/// A training seen from here. It is never begun by looking at it: where its folder is not there any
/// more it is lost.
class OffloadedRun {
 public:
  OffloadedRun(const OffloadedJob& job, const Interrupt& interrupt);

  /// Finds it there. False when it is lost or its machine cannot be asked; the state says which.
  bool find();
  /// What came since, waiting for at most that long.
  const OffloadState& follow(std::chrono::milliseconds at_most);
  /// Until all that it said so far was heard.
  const OffloadState& catch_up();
  const OffloadState& state() const { return state_; }
  bool is_over() const { return state_.run || state_.lost; }
  RemoteRun& remote() { return *remote_; }

 private:
  const OffloadedJob& job_;
  const Interrupt& interrupt_;
  std::unique_ptr<RemoteRun> remote_;
  OffloadState state_;
};

}  // namespace lapcast
