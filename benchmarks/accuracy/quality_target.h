#pragma once

#include <optional>
#include <string_view>

#include "forecast/learning_curve.h"

namespace lapcast::accuracy {

/// What a run of MLPerf Training has to reach: the quality target of its benchmark in the rules of
/// its round ("v0.5"). Nothing for a benchmark that is not known. A millionth is taken off: logs
/// round.
std::optional<TrainingGoal> quality_target(std::string_view benchmark, std::string_view round);

}  // namespace lapcast::accuracy
