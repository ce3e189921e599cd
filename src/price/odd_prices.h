#pragma once

#include <string>
#include <vector>

#include "price/offer.h"

namespace lapcast {

/// Returns a line for each offer whose price is more than a thousand times the median of its kind
/// of accelerator, or less than a thousandth of it, if it is not 0. The offers of `others` count in
/// the median, too.
std::vector<std::string> odd_prices(const std::vector<Offer>& offers,
                                    const std::vector<Offer>& others = {});

}  // namespace lapcast
