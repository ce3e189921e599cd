#pragma once

#include <string>

#include "probe/interrupt.h"
#include "query/sweep_state.h"
#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Waits until no other lapcast has the training of a program in sessions. Throws Error
/// (interrupted) at an interrupt.
SweepLock lock_sessions(const Store& store, const RunContext& context, const Interrupt& interrupt);

/// Returns the set of the sessions' runs: the newest of the program, its settings and its folder,
/// or with `again` a new one. `typed` is the command. Throws Error (usage) for a new one while a
/// session of an older one goes on.
Sweep set_of_sessions(Store& store, const RunContext& context, const std::string& typed,
                      bool again);

}  // namespace lapcast
