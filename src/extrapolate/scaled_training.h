#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "extrapolate/worker_scaling.h"

namespace lapcast {

/// Holds what a run says of one training on some workers.
struct TrainingOnWorkers {
  std::string run;             // its id
  std::string settings;        // besides the number of workers and the batch
  Workers workers;             // `share` is not used
  double batch = 0;            // samples of all workers in a lap; 0 = not known
  Interval<Seconds> lap;       // steady, of the slowest rank
  Interval<Seconds> training;  // from start to end
  Seconds fixed{0};            // the part of it that laps do not change
  double epochs = 0;           // of the training; counts only where its needs are known
  bool counts_laps = false;    // it ends after a number of laps, whatever samples they have
};

/// Returns `count` workers that fill nodes of `in_node` one after the other; 0 = one node has all.
Workers on_nodes(int count, int in_node);

/// Returns the times of whose seconds the logarithms are given.
Interval<Seconds> seconds_of(const Interval<double>& log);

/// Returns a training of `laps` laps for each one of the base, whose logarithms of seconds are
/// known so far: the errors of the base's own training and of the laps are independent.
Interval<Seconds> training_with_laps(const TrainingOnWorkers& base, double laps,
                                     const Interval<double>& log_lap);

/// Holds numbers of epochs that a training needs, by its samples a lap, ascending. An interval
/// holds what one more training may need.
using EpochsByBatch = std::map<double, Interval<double>>;

/// Returns the epochs at a batch: on a line over ln(batch) between two that are known, those of the
/// nearest beyond them. `known` must not be empty.
Interval<double> epochs_at(const EpochsByBatch& known, double batch);

/// Says what a batch size is that a program was given.
enum class BatchRule {
  per_worker,          // laps of more workers have more samples
  global,              // laps have the same samples on any number of workers
  assumed_per_worker,  // no two runs tell
};

/// Returns the rule by which samples of laps grew between the runs.
BatchRule batch_rule_of(std::span<const TrainingOnWorkers> runs);

/// Holds the training on one number of workers.
struct ScaledTraining {
  Workers workers;
  const TrainingOnWorkers* measured = nullptr;  // none = scaled
  Interval<Seconds> lap;
  double speed_up = 1;  // samples a second over those of one worker
  Interval<Seconds> training;
  std::optional<Interval<double>> epochs = {};  // none = those of the run that it is scaled from
};

/// Holds a measurement that would make the forecasts surer.
struct WorkerProbe {
  Workers workers;
  double spread_now = 0;    // mean relative standard deviation of the scaled laps
  double spread_after = 0;  // the same, expected once this is measured
};

struct ScaledTrainings {
  BatchRule batch = BatchRule::per_worker;
  std::vector<ScaledTraining> rows;  // in the order asked for
  std::optional<WorkerProbe> probe;  // none = nothing on one or two nodes would help
};

/// Forecasts the training of the first run on other numbers of workers; `in_node` workers fill a
/// node, 0 = one node holds all. Where needs are known, the runs must have their epochs, and as
/// many are taken as each number of workers needs, with their interval. The measured runs point
/// into `runs`. Returns the reason when there is no run.
Result<ScaledTrainings> scale_training(std::span<const TrainingOnWorkers> runs,
                                       std::span<const int> workers, int in_node,
                                       const EpochsByBatch& needs = {});

/// Returns draws of ln(training on each number of workers of one node / that of the first run), row
/// by row, both without what laps do not change. `link_sd` is as for WorkerScaling::draws(),
/// `needs` as for scale_training(). There is a run.
std::vector<double> log_ratios_of_training(std::span<const TrainingOnWorkers> runs,
                                           std::span<const int> workers, std::size_t count,
                                           std::uint64_t seed, double link_sd = 0,
                                           const EpochsByBatch& needs = {});

}  // namespace lapcast
