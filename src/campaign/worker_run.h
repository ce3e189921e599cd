#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "probe/interrupt.h"
#include "probe/request.h"
#include "remote/remote_run.h"
#include "run/run.h"

namespace lapcast {

/// Runs the program of a request on this machine once no other lapcast measures on its CPUs.
/// Returns what came of it, whatever happens. `tell_so_far` gets what is known of it at the end of
/// a round, and of a watched run from time to time. A watched run (request.watch) does not take the
/// CPUs: it waits for no measurement and delays none. Must be called in a process of its own,
/// because the caller becomes the subreaper of the program. `power_socket` is that of the
/// PowerGuard of a run with limited GPUs (power_limit.h), else -1.
Run run_here(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell,
             const std::function<void(const Run&)>& tell_so_far = {}, int power_socket = -1);

/// Holds the run that follow_remote_run() followed.
struct FollowedRun {
  Run run;
  bool begun = false;  // something of it may be left on its machine
};

/// Looks after the run of a request on a remote machine until it has its result. It begins the run,
/// or finds the one that was begun before; it passes progress on to `tell`, what is known at the
/// end of a round to `tell_so_far`, and orders (request.orders_fd) and interrupts on to the run.
/// What goes wrong is the Run's outcome. When `coordinator_is_gone` it returns nothing and leaves
/// the run alone: it can be followed later.
std::optional<FollowedRun> follow_remote_run(
    RemoteRun& remote, const ProbeRequest& request, const Interrupt& interrupt,
    const ProbeListener& tell, const std::function<bool()>& coordinator_is_gone,
    const std::function<void(const Run&)>& tell_so_far = {});

/// Returns a run that a remote machine sent, as the run of this request: its identity comes from
/// the request, and the rest from what the machine says of itself and of what happened. What cannot
/// be true becomes a warning (run/repair.h); the laps are kept whatever the machine's clock and
/// description say.
Run as_run_of(const ProbeRequest& request, Run sent);

}  // namespace lapcast
