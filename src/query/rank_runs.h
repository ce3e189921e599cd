#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "forecast/disturbance.h"
#include "history/assessment.h"
#include "rank/ranking.h"
#include "report/ranking_report.h"
#include "store/store.h"

namespace lapcast {

/// Says which stored runs count, and which prices.
struct RunSelection {
  std::string sweep;   // its name, id or the first digits of it; empty = the newest sweep of the
                       // folder, else of all, or all runs where there is none
  std::string folder;  // of the user
  bool all = false;    // every run in the store, of any sweep
  std::string named;   // only these runs, as runs_named() takes them; empty = as above
  std::vector<std::string> offer_files;  // catalogs beside the prices that the runs carry
};

/// Returns the id of the sweep of that name, or whose id starts like that; the text itself when
/// there is none, because imported runs may belong to a sweep that the store does not have.
std::string sweep_named(const Store& store, const std::string& id_or_name);

/// Returns the id of the sweep that is selected; empty for all runs.
std::string selected_sweep(const Store& store, const RunSelection& selection);

/// Holds the runs of a selection and what is known beside them.
struct SelectedRuns {
  std::optional<Sweep> sweep;  // that they belong to
  std::vector<Run> runs;       // of every kind
  std::vector<Run> probes;     // one of each candidate, in order of name: measured before imported
                               // ones, and of several the one with the most laps
  std::vector<Offer> offers;
  LearnedBySettings learned;
  /// Gives what machines do before a training, by machine type; only where it was asked for.
  std::map<std::string, BeforeTraining> before = {};
  std::vector<std::string> warnings;  // about the catalogs
};

/// Returns the runs of the selection, perhaps without a probe. Throws Error (bad input) for a
/// catalog that cannot be read.
SelectedRuns runs_of(const Store& store, const RunSelection& selection);

/// Returns runs_of() the selection. Throws Error (some_failed) when they have no probe.
SelectedRuns select_runs(const Store& store, const RunSelection& selection);

/// Says how stored runs are ranked, and by which method they are forecast (Preferences::method).
struct RankRequest {
  RunSelection selection;
  std::vector<std::int64_t> epochs;  // one ranking at each; empty = as learned, else as planned
  RequestedPlan plan;                // without the epochs
  Preferences preferences;
  bool same_epochs = false;    // at equal epochs, whatever numbers of them were learned
  bool per_batch = false;      // ranks each batch size apart
  bool with_queue = false;     // counts the time that probes waited in a cluster's queue
  bool marginal = false;       // at marginal_price() instead of the full one
  Demand demand;               // of every training, without what comes before it
  bool with_transfer = false;  // counts set-up and sending before the training
  bool alone = false;          // forecasts each run from its own laps only
  std::optional<Conditions> conditions = {};  // none: RunForecaster::forecast() decides
  std::string meter_file = {};                // power by a meter (read_meter()); empty = none
  std::string spot_trace = {};                // of spot machines (read_trace()); empty = none
};

/// Holds one ranking of candidates that may be compared with each other.
struct RankedRuns {
  std::optional<std::int64_t> batch_size;  // set where batch sizes are ranked apart, as asked
  std::optional<std::int64_t> epochs;      // set where they were asked for
  Ranking ranking;
  SearchCost search;  // of the group, whatever the preferences leave out
};

/// Holds all rankings of a request, in order of batch size and of the epochs asked for.
struct RankResult {
  SelectedRuns selected;
  std::vector<RankedRuns> rankings;
  /// Is true where batch sizes are ranked together, and not each at its own learned epochs.
  bool mixes_batch_sizes = false;
  std::vector<std::string> notes;  // what was pooled, for people
};

/// Returns the runs that the request ranks, with what machines do before a training where the
/// request counts it. Throws what select_runs() does.
SelectedRuns selected_for(const Store& store, const RankRequest& request);

/// Returns the training that a probe is ranked for: with so many epochs, else with the number that
/// was learned for its settings unless the request wants equal ones.
RequestedPlan plan_for(const Run& probe, std::optional<std::int64_t> epochs,
                       const RankRequest& request, const LearnedBySettings& learned);

/// Ranks the probes of the selection. Candidates on the same hardware have the same forecast, from
/// the one that says most: only their prices differ. Where no candidate has a price above 0, the
/// ranking is by time instead of cost. Throws what select_runs() does.
RankResult rank_runs(const Store& store, const RankRequest& request);

/// Forecasts a run for a plan, as RunForecaster::forecast() does, for several threads at once.
using ForecastOfRun = std::function<Assessment(const Run&, const RequestedPlan&)>;

/// Ranks the probes of `selected`, of which there is at least one. Conditions are up to `forecast`.
RankResult rank_selected(SelectedRuns selected, const RankRequest& request,
                         const ForecastOfRun& forecast);

/// Returns the probe of the first choice; nullptr where nothing could be ranked. It is one of the
/// selected probes.
const Run* first_choice(const RankedRuns& ranked, const SelectedRuns& selected);

/// Holds the first choice of a ranking with the run that it is forecast from.
struct Winner {
  Run run;
  Choice choice;
  double expected_regret = 0;
  std::vector<std::string> warnings;  // about the catalogs
  std::optional<Sweep> sweep = {};    // that is ranked
  std::size_t candidates = 0;         // of it
};

/// Returns the first choice of the only ranking that the request asks for. Throws Error: usage when
/// it asks for several, some_failed when nothing could be ranked.
Winner winner_of(const Store& store, const RankRequest& request);

}  // namespace lapcast
