#pragma once

#include <span>
#include <string>
#include <vector>

#include "choose/epochs_assessment.h"
#include "report/table.h"

namespace lapcast {

/// Holds one run and how many epochs it needs to reach a goal.
struct EpochsRow {
  const Run* run = nullptr;
  TrainingGoal goal;
  EpochsAssessment assessment;
};

/// Returns one row for each run; the notes say what each forecast rests on, and its warnings.
std::vector<Table> epochs_tables(std::span<const EpochsRow> rows, const std::string& goal);

/// Returns the interval of the epochs; an empty cell where at least half of the distribution never
/// reaches the goal.
Cell epochs_cell(const EpochsNeeded& needed);
/// Returns what one run's forecast rests on, and its warnings, one line each.
std::vector<std::string> epochs_notes(const Run& run, const EpochsNeeded& needed);
/// Returns "not reached within 200 epochs, with probability 83 %"; empty where the goal is more
/// likely reached than not.
std::string verdict(const EpochsNeeded& needed);

}  // namespace lapcast
