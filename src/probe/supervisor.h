#pragma once

#include <functional>

#include "probe/interrupt.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Receives what is known of a run that is under way.
struct UnderWayListener {
  std::function<void(const Run& so_far)> on_suspend = {};  // a round (request.round) is over
  std::function<bool()> before_next = {};  // called before the next round; false ends the run
  /// Is called with outcome NotEnded: for a watched run (request.watch) as a WideningSchedule says,
  /// and as often as request.save_every says.
  std::function<void(const Run& so_far)> on_save = {};
};

/// Runs the program of a request under observation and returns its run, whatever happened to the
/// program. Leaves none of its processes running, except those left behind by a program with a view
/// that ended by itself. `{run_dir}` in its arguments is its own empty run folder, which
/// LAPCAST_RUN_DIR names, too. Throws Error only if the machine refuses what lapcast itself needs
/// (a folder, a pipe). At the end of a round the program is suspended until request.orders_fd says
/// how to go on; it is interrupted if the other end of that socket is closed.
Run supervise(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& listener,
              const UnderWayListener& under_way = {});

}  // namespace lapcast
