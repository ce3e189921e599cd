#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "choose/ranking.h"

namespace lapcast {

/// Time and cost of one choice at some number of epochs.
struct EpochCell {
  Seconds time{0};  // to the result: boot and training
  Money cost;
  double relative_time = 1;  // divided by the smallest at that number of epochs
  double relative_cost = 1;
};

struct EpochRow {
  std::size_t choice = 0;  // index into the choices given
  // One for each number of epochs asked for; absent where that training cannot be priced.
  std::vector<std::optional<EpochCell>> cells;
};

/// The papers' relative tables [M tables 5.7 to 5.13]: every choice at several numbers of epochs,
/// from its fixed time and its time per epoch. Choices whose candidate does not know them have no
/// row. Throws Error (usage) when a number of epochs is not above 0.
std::vector<EpochRow> tabulate(std::span<const Choice> choices,
                               const std::vector<Candidate>& candidates,
                               const std::vector<Offer>& offers, std::span<const double> epochs);

}  // namespace lapcast
