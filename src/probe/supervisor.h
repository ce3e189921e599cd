#pragma once

#include <functional>

#include "probe/interrupt.h"
#include "probe/probe_request.h"
#include "run/run.h"

namespace lapcast {

/// Waits for the rounds of a race (request.round).
struct RoundListener {
  std::function<void(const Run& so_far)> on_end = {};  // the program is suspended
  std::function<bool()> before_next = {};  // before it goes on; false: it is to be ended instead
};

/// Runs the program of a request under observation and returns all that was learned, whatever
/// happened to the program. Leaves none of its processes running. `{run_dir}` in its arguments is
/// its own empty run folder, which LAPCAST_RUN_DIR names too. Throws Error only when the machine
/// refuses what lapcast itself needs (a folder, a pipe). With a round, the program is suspended at
/// its end until request.orders_fd says how it goes on; when nobody is left to say so it is
/// interrupted.
Run supervise(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener,
              const RoundListener& rounds = {});

}  // namespace lapcast
