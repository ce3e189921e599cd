#pragma once

#include <filesystem>

#include "cli/commands.h"
#include "commands/offload/offload_destination.h"
#include "probe/request.h"

namespace lapcast {

/// Rents the machine of a training, runs the training on it, brings its results into a folder while
/// it goes on and at its end, and gives the machine back. With --resume-flag, a training whose
/// machine is taken back goes on on another one. An interrupt leaves the training alone: it goes on
/// until its machine's deadline. Throws Error (usage) without --max-cost, and when the machine
/// could cost more than that by its deadline.
ExitCode train_on_rented(const Globals& globals, const OffloadArguments& options,
                         const Destination& destination, ProbeRequest request);

}  // namespace lapcast
