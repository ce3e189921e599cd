#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Describes what a run trained, as far as runs of one machine type with the same settings can
/// differ. Only runs of the same work are averaged.
struct TrainingWork {
  std::vector<std::string> arguments;  // training_arguments(), with placeholders, secrets masked
  std::int64_t samples = 0;            // of an epoch, as planned or counted; 0 = not reported

  /// Returns whether another run did the same: the same arguments, and numbers of samples that
  /// differ by at most 1 %, where both are known.
  bool is_like(const TrainingWork& other) const;
};
TrainingWork work_of(const Run& run);

/// Returns for each work what sets it apart from the others, such as "--epochs 6, 2000 samples".
/// A text is empty where a work has only what all have. Arguments with a placeholder are not named:
/// the settings have their values.
std::vector<std::string> differences(std::span<const TrainingWork> works);

}  // namespace lapcast
