#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "extrapolate/machine_factors.h"
#include "forecast/disturbance.h"
#include "history/assessment.h"
#include "history/learned_epochs.h"
#include "query/selected_runs.h"
#include "rank/ranking.h"
#include "report/ranking_report.h"
#include "store/store.h"

namespace lapcast {

/// Says how stored runs are ranked, and by which method they are forecast (Preferences::method).
struct RankRequest {
  RunSelection selection;
  std::vector<std::int64_t> epochs;  // one ranking at each; empty = as learned, else as planned
  TrainingPlan plan;                 // without the epochs
  Preferences preferences;
  bool same_epochs = false;    // ranks at equal epochs, even if different numbers were learned
  bool per_batch = false;      // ranks each batch size separately
  bool with_queue = false;     // counts the time that probes waited in a cluster's queue
  bool marginal = false;       // at marginal_price() instead of the full one
  Demand demand;               // of every training, without the steps before it
  bool with_transfer = false;  // counts set-up and sending before the training
  bool alone = false;          // forecasts each run from its own laps only
  std::optional<Conditions> conditions = {};  // none: RunForecaster::forecast() decides
  std::string meter_file = {};                // power by a meter (read_meter()); empty = none
  std::string spot_trace = {};                // of spot machines (read_trace()); empty = none
  bool with_unmeasured = false;  // ranks offers on machines that no probe ran on (unmeasured.h)
  std::optional<PrecisionClass> numbers = {};  // of these programs; nothing = as the probes told
};

/// Holds one ranking of candidates that may be compared with each other.
struct RankedRuns {
  std::optional<std::int64_t> batch_size;  // set if batch sizes are ranked separately, as requested
  std::optional<std::int64_t> epochs;      // set if they were requested
  Ranking ranking;
  SearchCost search;  // of the whole group, even what the preferences exclude
};

/// Holds all rankings of a request, in order of batch size and of the epochs asked for.
struct RankResult {
  SelectedRuns selected;
  std::vector<RankedRuns> rankings;
  /// True if batch sizes are ranked together, and not each at its own learned epochs.
  bool mixes_batch_sizes = false;
  std::vector<std::string> notes;  // say what was pooled
};

/// Returns the runs that the request ranks, with the steps before the training if the request
/// counts them. Throws as select_runs() does.
SelectedRuns selected_for(const Store& store, const RankRequest& request);

/// Returns the training for which a probe is ranked: with this number of epochs, else with the
/// number that was learned for its settings, unless the request wants equal ones.
TrainingPlan plan_for(const Run& probe, std::optional<std::int64_t> epochs,
                      const RankRequest& request, const LearnedBySettings& learned);

/// Ranks the probes of the selection. Candidates on the same hardware share the forecast of the
/// most informative probe, so only their prices differ. If no candidate has a price above 0, ranks
/// by time instead of cost. Throws as select_runs() does.
RankResult rank_runs(const Store& store, const RankRequest& request);

/// Forecasts a run for a plan as RunForecaster::forecast() does; several threads may call it.
using ForecastOfRun = std::function<Assessment(const Run&, const TrainingPlan&)>;

/// Ranks the probes of `selected`, at least one. `forecast` decides on the conditions.
RankResult rank_selected(SelectedRuns selected, const RankRequest& request,
                         const ForecastOfRun& forecast);

/// Returns the probe of the first choice, one of the selected probes; nullptr if nothing could be
/// ranked.
const Run* first_choice(const RankedRuns& ranked, const SelectedRuns& selected);

/// Describes the first choice of a ranking with the run from which it is forecast.
struct Winner {
  Run run;
  Choice choice;
  double expected_regret = 0;
  std::vector<std::string> warnings;  // about the catalogs
  std::optional<Sweep> sweep = {};    // the ranked sweep
  std::size_t candidates = 0;         // number of candidates in it
};

/// Returns the first choice of the only ranking that the request asks for. Throws Error: usage if
/// it asks for several, some_failed if nothing could be ranked.
Winner winner_of(const Store& store, const RankRequest& request);

}  // namespace lapcast
