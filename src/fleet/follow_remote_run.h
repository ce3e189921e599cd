#pragma once

#include <functional>
#include <optional>

#include "probe/interrupt.h"
#include "probe/probe_request.h"
#include "remote/remote_run.h"
#include "run/run.h"

namespace lapcast {

struct FollowedRun {
  Run run;
  bool begun = false;  // something of it may be left on its machine
};

/// Looks after the run of a request on a remote machine until it has its result. It begins the run,
/// or finds the one that was begun before; it passes progress on to `tell`, what is known at the
/// end of a round to `tell_so_far`, and orders (request.orders_fd) and interrupts on to the run.
/// What goes wrong is the Run's outcome. When `coordinator_is_gone` it returns nothing and leaves
/// the run alone: it can be followed later.
std::optional<FollowedRun> look_after(RemoteRun& remote, const ProbeRequest& request,
                                      const Interrupt& interrupt, const ProbeListener& tell,
                                      const std::function<bool()>& coordinator_is_gone,
                                      const std::function<void(const Run&)>& tell_so_far = {});

/// Returns the run that a remote machine sent as that of this request: what the machine says of
/// itself and of what happened counts, never whose run it is. What cannot be true of it becomes a
/// warning (run/repair.h): its laps are kept whatever its clock and description say.
Run as_run_of(const ProbeRequest& request, Run sent);

}  // namespace lapcast
