#pragma once

#include <span>
#include <string>
#include <vector>

#include "choose/epochs_assessment.h"
#include "report/table.h"

namespace lapcast {

/// One run and when it gets where it shall.
struct EpochsRow {
  const Run* run = nullptr;
  TrainingGoal goal;
  EpochsAssessment assessment;
};

/// A row for each; under them what each rests on and its warnings.
std::vector<Table> epochs_tables(std::span<const EpochsRow> rows, const std::string& goal);

/// Interval for a cell; nothing where half of the distribution or more never gets there.
Cell epochs_cell(const EpochsNeeded& needed);
/// What one run's forecast rests on, and its warnings: a line each.
std::vector<std::string> epochs_notes(const Run& run, const EpochsNeeded& needed);
/// "not reached within 200 epochs, with probability 83 %"; empty where it is rather reached.
std::string verdict(const EpochsNeeded& needed);

}  // namespace lapcast
