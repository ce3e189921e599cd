#pragma once

#include <string>
#include <vector>

#include "price/offer.h"

namespace lapcast {

/// Returns the offers of the papers (catalog/papers.csv).
const std::vector<Offer>& paper_offers();
/// Returns the first of them for this machine type. Throws Error (bad input) if there is none.
const Offer& paper_offer(const std::string& machine_type);

}  // namespace lapcast
