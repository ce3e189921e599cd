#pragma once

#include <string>
#include <vector>

#include "core/error.h"
#include "lease/ledger.h"

namespace lapcast {

/// Starts the keeper of this user in the background, unless one is running: `lapcast keeper` in a
/// session of its own. It outlives this process.
void start_keeper();

/// Is the keeper: gives back the leases that nobody holds, at their deadline or when nobody took
/// them over, until no lease is open. Returns at once when another keeper runs.
void keep_leases();

/// Returns the open leases that no living lapcast holds, without those that are kept on purpose.
std::vector<Lease> unheld_leases(const Ledger& ledger);

/// Returns the warning about unheld leases that every command prints, with the money, and starts
/// the keeper; empty when there are none.
std::string warning_of_unheld_leases();

}  // namespace lapcast
