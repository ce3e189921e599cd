#pragma once

#include <chrono>
#include <cstdint>
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

/// Runs the program of a request on this machine as soon as no other lapcast measures on its CPUs.
/// Failures become the Run's outcome. `tell_so_far` gets what was measured so far at the end of
/// each round, and from time to time if the run is watched. A watched run (request.watch) does not
/// take the CPUs: it waits for no measurement and delays none. Must be called in a process of its
/// own, because the caller becomes the subreaper of the program. `power_socket` is that of the
/// PowerGuard of a run with limited GPUs (power_limit.h), else -1.
Run run_here(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell,
             const std::function<void(const Run&)>& tell_so_far = {}, int power_socket = -1);

struct FollowedRun {
  Run run;
  bool begun = false;  // something of it may be left on its machine, which still exists
};

/// Hears of a run that is followed on a remote machine. Empty functions hear nothing.
struct FollowListener {
  std::function<void(const Run&)> so_far = {};        // what was measured by the end of a round
  std::function<void(Seconds)> silence = {};          // of a machine that may vanish
  std::function<void(std::int64_t bytes)> came = {};  // from a machine that may vanish
};

/// Follows the run of a request on a remote machine until it has its result. It begins the run, or
/// finds the one that was begun before. It passes progress on to `tell`, and orders
/// (request.orders_fd) and interrupts to the run. Failures become the Run's outcome. Where the
/// machine may vanish (request.save_every), the order kGoneOrder ends the run with the laps that
/// were saved. When coordinator_is_gone() is true, it returns nothing and leaves the run alone: it
/// can be followed later.
std::optional<FollowedRun> follow_remote_run(RemoteRun& remote, const ProbeRequest& request,
                                             const Interrupt& interrupt, const ProbeListener& tell,
                                             const std::function<bool()>& coordinator_is_gone,
                                             const FollowListener& listener = {});

/// Returns a run that a remote machine sent, as the run of this request: its identity comes from
/// the request, and the rest from what the machine reports. Impossible values become warnings
/// (run/repair.h); the laps are kept whatever the machine's clock and description say.
Run as_run_of(const ProbeRequest& request, Run sent);

}  // namespace lapcast
