#pragma once

#include <optional>

#include "core/money.h"
#include "core/seconds.h"
#include "price/offer.h"

namespace lapcast {

/// Returns the longest training whose bill under the offer (quote(): boot, billing steps and
/// minimum included) is not above `most`, to the nanosecond. Returns nothing when even the shortest
/// costs more, and 100 years when the price is too low to tell.
std::optional<Seconds> affordable_time(const Offer& offer, Money most);

}  // namespace lapcast
