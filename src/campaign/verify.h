#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "campaign/executor.h"
#include "campaign/measuring.h"
#include "query/rank_runs.h"
#include "report/verify_report.h"
#include "store/store.h"

namespace lapcast {

struct VerifyRequest {
  RunSelection selection;
  std::size_t top = 1;          // how many to run, the first by forecast cost and by forecast time
  bool all = false;             // runs every candidate
  std::size_t repeats = 1;      // real runs of each candidate, those of earlier commands included
  bool again = false;           // makes that many real runs besides those of earlier commands
  std::string run_parent = {};  // folder of the run folders; empty = the default
  std::function<ProbeRequest(RunContext)> start;      // returns how a run is started
  std::function<PlaceSetup(const Run& probe)> place;  // returns where the probe's machine is
  /// Is called once all places were asked for, before anything runs; may throw Error.
  std::function<void()> before_runs = {};
};

struct VerifyResult {
  std::optional<Sweep> sweep;          // of the candidates; nothing if they are of several
  std::vector<std::string> program;    // of the first candidate
  std::size_t candidates = 0;          // of the sweep
  std::vector<VerifiedForecast> rows;  // one for each candidate with a forecast, in order of name
  ProbeBill bill;                      // of the probes that made the forecasts
  std::vector<RunContext> imported;    // candidates that were imported: they are not run
  bool any_failed = false;
  bool interrupted = false;  // by the user; the same request goes on where this one stopped
};

/// Runs candidates to their end and compares their forecasts with the real times. Every candidate
/// is run once before any is run again, each time in another random order that depends only on the
/// ids of the probes, so that a machine whose speed drifts treats all candidates alike. A candidate
/// is forecast for its program's own plan, or for the epochs learned for its settings; no forecast
/// uses the runs to the end that it is compared with. Throws Error (some_failed) when there is
/// nothing to run, (interrupted) when the user interrupts the wait for another lapcast.
VerifyResult verify(VerifyRequest request, const MeasuringTools& tools);

/// Returns what verify() would return for the candidates that have a run to the end. Runs nothing.
VerifyResult verified_so_far(const Store& store, const SelectedRuns& selected);

}  // namespace lapcast
