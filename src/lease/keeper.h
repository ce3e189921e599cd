#pragma once

#include "core/error.h"

namespace lapcast {

/// Starts the keeper of this user in the background, unless one is running: `lapcast leases --keep`
/// in a session of its own. It outlives this process.
void start_keeper();

/// Is the keeper: gives back the leases that nobody holds and that are overdue, until no lease is
/// open. Returns at once when another keeper runs.
ExitCode keep_leases();

}  // namespace lapcast
