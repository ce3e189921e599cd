#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

namespace lapcast {

/// Says how long a training is and how it validates: as the user asks for it, as the program
/// reports it (the fields of lapcast_plan_t), as it is found in the program's arguments, or as it
/// is forecast (plan_of()). A number is 0 if it is not known; no known number is 0.
struct TrainingPlan {
  std::int64_t epochs = 0;
  std::int64_t steps = 0;                 // laps of the whole training, instead of epochs
  std::int64_t iterations_per_epoch = 0;  // a partial last batch counts as one
  double batch_size = 0;                  // samples of a full lap; observed ones may be a mean
  std::int64_t training_samples = 0;      // of one epoch
  std::int64_t validation_samples = 0;    // of one validation; a plan to forecast may have none
  std::int64_t validate_every = 0;        // epochs from one validation to the next
  std::int64_t validate_from = 0;         // the epoch after which the first validation comes
  std::int64_t answers_requests = 0;      // 1: the program validates when asked to, and reports so
  /// Counts the laps that were made before the program started, by the run that it resumes, beside
  /// those of epochs_done.
  std::int64_t laps_done = 0;
  std::int64_t epochs_done = 0;  // whole ones; only a plan to forecast has it (plan_of())
  /// Says where epochs or steps were found: a variable of the program, as it reports it, or text
  /// for people ("`--epochs 20` in its command"); empty where the user or the program said them.
  std::string from = {};
  friend bool operator==(const TrainingPlan&, const TrainingPlan&) = default;
};

using PlanNumber = std::variant<std::int64_t TrainingPlan::*, double TrainingPlan::*>;

/// Lists the keys of a plan in a lap log, in the order of its line.
inline constexpr std::pair<std::string_view, PlanNumber> kPlanFields[] = {
    {"epochs", &TrainingPlan::epochs},
    {"steps", &TrainingPlan::steps},
    {"iterations", &TrainingPlan::iterations_per_epoch},
    {"batch", &TrainingPlan::batch_size},
    {"train", &TrainingPlan::training_samples},
    {"validation", &TrainingPlan::validation_samples},
    {"validate-every", &TrainingPlan::validate_every},
    {"validate-from", &TrainingPlan::validate_from},
    {"requests", &TrainingPlan::answers_requests},
    {"done", &TrainingPlan::laps_done},
};

}  // namespace lapcast
