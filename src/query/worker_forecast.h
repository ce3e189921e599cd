#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "extrapolate/scaled_training.h"
#include "fleet/fleet.h"
#include "price/offer.h"
#include "query/forecast_run.h"
#include "run/run.h"

namespace lapcast {

/// Asks for a training on other numbers of workers.
struct WorkerQuestion {
  TrainingPlan plan;
  std::vector<int> workers;
  int in_node = 0;  // workers that fill a node; 0 = as many as `machine` says, else one has all
  /// The machine of the runs, which says what is paid and how many workers fill a node; nullptr =
  /// not known.
  const FleetMachine* machine = nullptr;
  EpochsByBatch epochs_at = {};  // instead of the plan's epochs; empty = those hold for all
  /// What trainings needed (learned_needs()). It serves where neither the plan nor `epochs_at` says
  /// how long the training is; empty = nothing was learned.
  EpochsByBatch learned = {};
};

/// Holds the answer, with the runs that it rests on.
struct WorkerForecast {
  int in_node = 0;  // workers that fill a node; 0 = one node holds all
  std::vector<TrainingOnWorkers> measured;
  ScaledTrainings scaled;              // its rows point into `measured`
  std::optional<Offer> offer;          // of one whole node, by the first run
  int gpus_paid_singly = 0;            // of a node; 0 = each node is paid whole
  std::map<std::string, Offer> parts;  // prices of measured runs that paid a part, by their ids
  bool epochs_stated = false;          // for each global batch
  EpochsByBatch learned = {};          // epochs that were taken; empty = none were learned
  std::vector<std::string> left_out;   // runs without a forecast, with the reason
};

using RunsByMachine = std::map<std::string, std::vector<Run>>;

/// Returns the runs by machine type. `machines` chooses some ("a100" or "a100,b200"): the runs on
/// these, as if on one type; empty = all. Throws Error (usage) for a machine that has no run.
RunsByMachine runs_by_machine_type(const std::vector<Run>& runs, const std::string& machines);

/// Returns on how many workers a run trained, and on how many nodes: as many as its processes tell
/// (world size), else its setting `workers`, else one.
Workers workers_of(const Run& run);

/// Returns what an assessed run, which has a forecast, says of its training on its workers.
TrainingOnWorkers training_on_workers(const Run& run, const Assessment& assessment);

/// Parses "1,2,4" as {1, 2, 4}. Throws Error (usage) for anything but different numbers from 1 to
/// 100,000.
std::vector<int> parse_workers(const std::string& text);

/// Parses "256=10,1024=12" as the epochs that a training needs at global batches. Throws Error
/// (usage) for anything else.
EpochsByBatch parse_epochs_at(const std::string& text);

/// Returns how many epochs trainings of the program of `run` needed, by their samples a lap, from
/// runs of kind find_epochs among `trained`; those with another batch, seed or number of workers
/// count, too. Of several ways to stop, that of the newest run counts.
EpochsByBatch learned_needs(const RunContext& run, std::span<const Run> trained);

/// Returns the trainings of the runs on their workers and what is paid for them, without forecasts
/// on others. Returns the reason when no run has a forecast.
Result<WorkerForecast> measured_trainings(std::span<const Run> runs, const WorkerQuestion& question,
                                          RunForecaster& forecaster, std::span<const Offer> offers);

/// Forecasts the training of the first run on other numbers of workers, from all of the runs, which
/// are of one program. Returns the reason when none of them has a forecast.
Result<WorkerForecast> forecast_workers(std::span<const Run> runs, const WorkerQuestion& question,
                                        RunForecaster& forecaster, std::span<const Offer> offers);

}  // namespace lapcast
