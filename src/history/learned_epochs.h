#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Says how long a combination of settings has to be trained, learned by training it.
struct LearnedEpochs {
  std::int64_t epochs = 0;  // the mean of `trained`, rounded to the nearest; 0 = not learned
  std::vector<std::int64_t> trained;  // epochs of each training, in order of their begin
  std::optional<double> accuracy;     // the best val_accuracy of all its runs
};
/// Maps the settings of runs (RunContext::settings) to what was learned with them.
using LearnedBySettings = std::map<std::map<std::string, std::string>, LearnedEpochs>;

/// Returns what the runs of kind find_epochs teach, by settings. Trainings that differ only in the
/// value that lapcast itself gave the setting "seed" are repeats of one: they also count for the
/// settings with seed=0, which their probes have. Of several sweeps, or ways to stop, the newest
/// one counts. Runs of kind full that ended by themselves teach accuracies only.
LearnedBySettings learned_epochs(std::span<const Run> runs);

}  // namespace lapcast
