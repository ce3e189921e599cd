#pragma once

#include <optional>
#include <string>

#include "history/assessment.h"
#include "run/run.h"

namespace lapcast {

/// Returns "12 epochs of 60000 samples, each validated on 10000"; of a training that was resumed,
/// "the last 2 of 12 epochs of 60000 samples".
std::string plan_text(const TrainingPlan& plan);

/// Returns what the whole training takes and costs where the run made only the rest of it: "the
/// whole training, 12 epochs from its start: 14.7 s, $0.00417"; nothing for any other run.
std::optional<std::string> text_of_whole(const Run& run, const Assessment& assessment);

}  // namespace lapcast
