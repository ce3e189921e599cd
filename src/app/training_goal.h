#pragma once

#include <string>

#include "forecast/learning_curve.h"

namespace lapcast {

/// "val_accuracy=0.75" -> reach it; Error (usage) for a text that is not NAME=NUMBER. Which values
/// are better follows from the name (smaller_is_better()), or is `lower`.
TrainingGoal parse_target(const std::string& text, bool lower);

/// "val_accuracy=0.75", "val_accuracy no better for 5 reports": for titles.
std::string describe(const TrainingGoal& goal);

}  // namespace lapcast
