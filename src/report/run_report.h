#pragma once

#include <string>
#include <vector>

#include "choose/track_record.h"
#include "report/table.h"
#include "run/run.h"

namespace lapcast {

struct RunReportOptions {
  bool methods = false;   // the papers' forecasts beside ours
  bool raw_laps = false;  // every lap as it was reported
  bool output = false;    // what the program printed
  RequestedPlan asked;    // forecast for this plan instead of the run's own
  TrackRecord record;     // of earlier runs; empty = the forecast stands alone
  std::vector<ValidationSource>
      validation_sources;  // what the run did not reach may be carried over from these
};

/// Returns "12 epochs of 60000 samples, each validated on 10000".
std::string plan_text(const TrainingPlan& plan);

/// Returns what happened in a run, its lap profile, the effects found, the forecast in parts, and
/// on request the papers' methods, the raw laps and the program's output.
std::vector<Table> run_tables(const Run& run, const RunReportOptions& options = {});

}  // namespace lapcast
