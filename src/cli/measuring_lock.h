#pragma once

#include <optional>
#include <string>

#include "cli/view/campaign_display.h"
#include "fleet/sweep_lock.h"
#include "probe/interrupt.h"
#include "store/store.h"

namespace lapcast {

/// Waits until no other lapcast on this store measures `what` ("sweep 3fb0"), which `key` stands
/// for, and says so. Returns nothing when the user interrupted that. Where there are no locks it
/// warns and goes on.
std::optional<SweepLock> lock_measuring(const Store& store, const std::string& key,
                                        const std::string& what, CampaignDisplay& display,
                                        const Interrupt& interrupt);

}  // namespace lapcast
