#pragma once

#include "lease/lease.h"

namespace lapcast {

// A clock that is set while machines are rented must not change what they cost or when they end.
// So leases have a clock of their own: UTC as this computer's clock told it when the oldest open
// lease was ordered, and from then on what has passed since the boot, suspended time included. All
// lapcasts of a user read it from one file; after a boot it begins anew.

/// Returns the time of leases. Throws Error (store) when there is no folder for what lapcast must
/// not forget.
UtcNs lease_now_ns();

/// Sets the time of leases by this computer's clock. Call it before a lease is ordered while none
/// is open.
void set_lease_clock();

}  // namespace lapcast
