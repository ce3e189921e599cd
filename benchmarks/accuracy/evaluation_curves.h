#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"
#include "forecast/learning_curve.h"

namespace lapcast::accuracy {

/// The evaluations of one run and what it had to reach.
struct EvaluatedRun {
  std::string run;
  std::string submitter;
  std::string group;      // its benchmark: runs of it are runs of the same program
  double batch_size = 0;  // 0 = not said
  TrainingGoal goal;
  LearningCurve curve;
};

/// The runs of all tables NAME.csv or NAME.csv.gz in the folder (run_id, epoch_or_samples, value;
/// the rows of a run stand together, in order). Places are the epochs as logged; where those are
/// absent, do not ascend or are samples (above 10,000), the number of the evaluation. Epochs that
/// count from 0 are moved by one spacing. Rows and runs that cannot be used are counted in
/// `dropped`.
std::vector<EvaluatedRun> read_evaluations(const std::filesystem::path& folder, LoggedRuns& runs,
                                           Dropped& dropped, std::vector<std::string>& notes);

}  // namespace lapcast::accuracy
