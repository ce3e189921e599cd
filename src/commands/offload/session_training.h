#pragma once

#include "cli/commands.h"
#include "commands/offload/offload_destination.h"

namespace lapcast {

/// Trains a program in sessions, one after the other on the machines of --sessions in turn: brings
/// what a session wrote into its run folder home, and sends it to the machine of the next, which
/// goes on from the newest checkpoint. Stays until the training has ended. An interrupt leaves the
/// session alone; the same command follows it. Stops after two sessions in a row without a
/// checkpoint, at a limit, and when none of the machines begins a session. Throws Error (usage) for
/// options that make no sense.
ExitCode train_in_sessions(const Globals& globals, const OffloadArguments& options);

}  // namespace lapcast
