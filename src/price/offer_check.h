#pragma once

#include <optional>

#include "core/error.h"
#include "price/date.h"
#include "price/offer.h"

namespace lapcast {

/// Returns why no offer can be like this, with the name of the member ("boot is longer than a
/// day"), whether it stands in a catalog, a fleet file or a run. docs/catalog.md lists the bounds.
/// `today` is in UTC.
std::optional<Reason> why_not_valid(const Offer& offer, Date today);

}  // namespace lapcast
