#pragma once

#include <functional>

#include "probe/interrupt.h"
#include "probe/probe_request.h"
#include "run/run.h"

namespace lapcast {

/// Runs the program of a request on this machine, once nobody else measures on its CPUs, and
/// returns what came of it, whatever happens. A run for its own sake (request.watch) neither waits
/// for those who measure nor keeps them waiting. For a process of its own: it becomes its program's
/// subreaper.
Run run_here(const ProbeRequest& request, Interrupt& interrupt, const ProbeListener& tell,
             const std::function<void(const Run&)>& tell_so_far = {});

}  // namespace lapcast
