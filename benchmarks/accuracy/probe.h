#pragma once

#include <string>
#include <vector>

#include "accuracy/judgement.h"
#include "accuracy/logged_run.h"
#include "forecast/forecast.h"
#include "forecast/lap_profile.h"
#include "lap/lap_log.h"

namespace lapcast::accuracy {

/// What a probe of a logged run knows that was stopped early: how long the training shall be, as
/// given, and nothing that was logged later.
struct Probe {
  const LoggedRun* run = nullptr;
  std::string seen;    // "2 epochs"
  Seconds stopped{0};  // since run_start
  bool by_lines = false;  // its laps are what it printed within epochs
  LapLog log;          // time 0 is run_start
  LapProfile profile;  // of `log`
  TrainingPlan plan;   // of the whole run
  Seconds papers{0};   // the baseline: the papers' formula for what was seen
  std::vector<Group> groups;
  std::vector<Probe> further_phases;  // of other work per epoch, each seen and forecast for itself
};

}  // namespace lapcast::accuracy
