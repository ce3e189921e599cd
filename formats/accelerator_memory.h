#pragma once

#include <cstddef>
#include <vector>

#include "price/offer.h"

namespace lapcast {

/// Gives each offer the memory of one accelerator. Some lists have that of all accelerators of a
/// machine together in the same column: where the other offers of a provider with the same
/// accelerator show it, or no accelerator has so much, or the memory of known accelerators says so,
/// the memory is divided by the number of accelerators. Returns how many offers were changed.
std::size_t settle_accelerator_memory(std::vector<Offer>& offers);

}  // namespace lapcast
