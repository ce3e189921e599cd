#pragma once

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "choose/ranking.h"

namespace lapcast {

/// Time and cost of one choice at one number of epochs.
struct EpochCell {
  Seconds time{0};  // to the result: boot and training
  Money cost;
  double relative_time = 1;  // divided by the smallest at that number of epochs
  double relative_cost = 1;
};

/// One row of a table over numbers of epochs.
struct EpochRow {
  std::shared_ptr<const Candidate> candidate;
  std::shared_ptr<const Offer> offer;
  // One for each number of epochs asked for; empty where that training cannot be priced.
  std::vector<std::optional<EpochCell>> cells;
};

/// Returns the choices at several numbers of epochs, from their fixed time and their time per epoch
/// (Malta's relative tables). Choices whose candidate does not know them have no row. Throws Error
/// (usage) when a number of epochs is not above 0.
std::vector<EpochRow> tabulate(std::span<const Choice> choices, std::span<const double> epochs);

}  // namespace lapcast
