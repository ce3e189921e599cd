#pragma once

#include <string>
#include <vector>

#include "lease/lease.h"

namespace lapcast {

/// Returns the second of a time as "2026-11-20T12:00:00Z".
std::string utc_text_of(UtcNs time);

/// Returns lines for people about what has changed in a lease, each with the name of its machine:
/// "l4: booted in 48 s, $0.0053". `by_hand` is the provider's command that deletes a machine, with
/// MACHINE and ZONE in it; empty = not known.
std::vector<std::string> news_of(const Lease& before, const Lease& now, const std::string& by_hand);

/// Returns the command that deletes the machine of a lease by hand; empty when it is not known.
std::string by_hand(const Lease& lease, std::string command);

}  // namespace lapcast
