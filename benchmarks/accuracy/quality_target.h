#pragma once

#include <optional>
#include <string_view>

#include "forecast/learning_curve.h"

namespace lapcast::accuracy {

/// Returns the target of a run of MLPerf Training: the quality target of its benchmark in the rules
/// of its round ("v0.5"), or nothing for an unknown benchmark. The target is lowered by a
/// millionth, because logs round.
std::optional<TrainingGoal> quality_target(std::string_view benchmark, std::string_view round);

}  // namespace lapcast::accuracy
