#pragma once

#include <cstdint>
#include <string>

#include "price/date.h"

namespace lapcast {

/// What is new each time: the only source of randomness and wall-clock time beside the supervisor.
std::string new_id();     // 12 random hex digits
std::string utc_now();    // "2026-11-20T12:00:00Z"
Date today();             // in UTC
std::string boot_time();  // of this machine, in the same form; empty = not known
std::uint64_t random_seed();

}  // namespace lapcast
