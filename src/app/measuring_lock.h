#pragma once

#include <optional>
#include <string>

#include "app/progress_listener.h"
#include "fleet/sweep_lock.h"
#include "probe/interrupt.h"
#include "store/store.h"

namespace lapcast {

/// Waits until no other lapcast measures the same on this store, and tells the listener so: `key`
/// identifies what is measured, `what` is its name in messages ("sweep 3fb0"). Returns nothing when
/// the user interrupted the wait. Where the file system has no locks it warns and goes on.
std::optional<SweepLock> lock_measuring(const Store& store, const std::string& key,
                                        const std::string& what, ProgressListener& listener,
                                        const Interrupt& interrupt);

}  // namespace lapcast
