#pragma once

#include <functional>
#include <string>
#include <vector>

#include "scaling/scaling_sets.h"
#include "shortlist/judged.h"

namespace lapcast::scaling {

/// Says which laps a forecast knows and which it is judged by.
struct ScalingQuestion {
  std::vector<Workers> probes;  // all of them must be there, at the batch that is judged
  std::function<bool(const ScalingRow&)> is_judged;
  bool all_batches = false;  // the laps of all batches of a program are in one fit
};

/// Holds forecasts beside those of simple formulas.
struct ScalingAnswers {
  std::vector<shortlist::Judged> ours;
  std::vector<shortlist::Judged> ideal;  // more workers take the same time
  std::vector<shortlist::Judged> ring;   // t + s (n - 1) / n, from the first and second probe
};

/// Answers a question for all programs of the rows. Without probes each lap is judged from the one
/// on the fewest workers.
ScalingAnswers answer(const std::vector<ScalingRow>& rows, const ScalingQuestion& question,
                      const WorkerScalingPrior& prior);

/// Answers each network with the noises that all others of the rows chose, by the density of their
/// laps, and prints them.
ScalingAnswers answer_cross_fitted(const std::vector<ScalingRow>& rows,
                                   const ScalingQuestion& question);

}  // namespace lapcast::scaling
