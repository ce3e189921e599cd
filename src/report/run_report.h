#pragma once

#include <functional>
#include <string>
#include <vector>

#include "history/assessment.h"
#include "run/run.h"
#include "table/table.h"

namespace lapcast {

/// Selects what run_tables() shows on request.
struct RunReportOptions {
  bool methods = false;   // also the papers' forecasts
  bool raw_laps = false;  // every lap as reported
  bool output = false;    // the output of the program
  bool ascii = false;     // drawings without Unicode
  /// Forecasts the run for an undisturbed machine; called if others disturbed it, and shown if it
  /// differs.
  std::function<Result<Forecast>()> undisturbed = {};
};

/// Returns the parts of a forecast as shown to people, none of which has a bound below 0: a warm-up
/// that was faster than later laps, and what earlier runs took less, is taken from the laps, or
/// from all parts in proportion where the laps are shorter than that.
std::vector<ForecastPart> shown_parts(const Forecast& forecast);

/// Returns describe_workers() of a run; empty for a stopped run if finished runs show its
/// tear-down.
std::string workers_note(const Run& run, const Assessment& assessment);

/// Returns the tables of one run, first with the answer about the training: what happened, its lap
/// profile, its effects, the use of its GPUs, the parts of its forecast, how the forecast of a
/// watched run changed, and what the options add. The texts of `run` are shown as they are, so
/// callers pass masked(run).
std::vector<Table> run_tables(const Run& run, const Assessment& assessment,
                              const RunReportOptions& options = {});

}  // namespace lapcast
