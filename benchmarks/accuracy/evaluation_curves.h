#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/logged_run.h"
#include "forecast/learning_curve.h"

namespace lapcast::accuracy {

/// Holds the evaluations of one run and its target.
struct EvaluatedRun {
  std::string run;
  std::string submitter;
  std::string group;      // its benchmark, which counts as one program
  double batch_size = 0;  // 0 when not known
  TrainingGoal goal;
  LearningCurve curve;
};

/// Reads the runs of all tables NAME.csv or NAME.csv.gz in the folder (run_id, epoch_or_samples,
/// value; the rows of a run are consecutive and in order). A place is the logged epoch. When epochs
/// are missing, do not ascend or are samples (above 10,000), it is the number of the evaluation.
/// Epochs that count from 0 are shifted by one spacing. Unusable rows and runs are counted in
/// `dropped`.
std::vector<EvaluatedRun> read_evaluations(const std::filesystem::path& folder, LoggedRuns& runs,
                                           Dropped& dropped, std::vector<std::string>& notes);

}  // namespace lapcast::accuracy
