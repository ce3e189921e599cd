#pragma once

#include <cstddef>
#include <vector>

#include "choose/ranking.h"

namespace lapcast {

/// Which offers are for which candidates; all numbers are indices into what was given.
struct Matches {
  std::vector<std::vector<std::size_t>> offers_of;  // by candidate, ascending
  std::vector<std::size_t> offers_without;          // offers that no candidate matches, ascending
};

/// A candidate that wants an offer matches the offer of that name, or, when no offer has it, all
/// offers whose machine type it is. A candidate that wants none matches its own machine type.
Matches match(const std::vector<Candidate>& candidates, const std::vector<Offer>& offers);

}  // namespace lapcast
