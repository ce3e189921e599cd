#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

#include "accuracy/judgement.h"

namespace lapcast::accuracy {

/// Holds mean interval scores of ln(time) at 95 % (Gneiting and Raftery 2007): the width of the
/// interval, and 40 times what the real time is outside of it.
struct IntervalScores {
  std::size_t runs = 0;
  double ours = 0;
  double oracle = 0;
  double ratio() const { return ours / oracle; }
};

/// Returns the scores of the judgements of one observed part with the runs of others. An oracle
/// knows the median and the standard deviation of ln(time per unit) of the other runs of the same
/// configuration, and the units of this one; only runs with four others or more count.
IntervalScores interval_scores(const std::vector<Judgement>& judgements, std::string_view seen);

}  // namespace lapcast::accuracy
