#pragma once

#include <optional>
#include <string>
#include <vector>

#include "accuracy/judgement.h"
#include "accuracy/logged_run.h"
#include "core/error.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "lap/lap_log.h"

namespace lapcast::accuracy {

/// Holds what a probe of a logged run knows when it is stopped early: the given length of the
/// training, and nothing that was logged later.
struct Probe {
  const LoggedRun* run = nullptr;
  std::string seen;               // "2 epochs"
  Seconds stopped{0};             // since run_start
  bool by_lines = false;          // its laps are lines that it printed within epochs
  std::optional<Reason> no_laps;  // why there is no profile, and so no forecast
  LapLog log;                     // time 0 is run_start
  LapProfile profile;             // of `log`
  TrainingPlan plan;              // of the whole run
  Seconds papers{0};              // the papers' formula for the observed part: the baseline
  std::vector<Group> groups;
  std::vector<Probe> further_phases;  // with other work per epoch; each has its own forecast
};

}  // namespace lapcast::accuracy
