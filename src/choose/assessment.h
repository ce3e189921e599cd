#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "core/seconds.h"
#include "forecast/forecast.h"
#include "forecast/validation_cost.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a run says about a training: each step, or the reason why it is missing.
struct Assessment {
  Result<LapProfile> profile;
  Result<TrainingPlan> plan;
  Result<Forecast> forecast;
};

/// Describes a run with measured validations, whose validation cost is used for other runs.
struct ValidationSource {
  std::string run_id;
  std::vector<std::string> program;
  std::map<std::string, std::string> settings;
  ValidationRatio validation;
};

/// Returns the runs whose measured validation cost can be used for other runs.
std::vector<ValidationSource> validation_sources_of(std::span<const Run> runs);

/// Returns the source with the same program and settings that observed the most validations, and of
/// several the first; nullptr when there is none.
const ValidationSource* validation_source_for(const RunContext& context,
                                              std::span<const ValidationSource> sources);

/// Assesses a run for the plan `asked`. A field that is 0 comes from the plan that the run was
/// asked for, and then from the one that the program reported. With `first_epochs` > 0 only the
/// laps of so many epochs count. The cost of a validation that the run did not reach comes from the
/// validation source that fits the run.
Assessment assess(const Run& run, const RequestedPlan& asked = {}, std::int64_t first_epochs = 0,
                  std::span<const ValidationSource> sources = {});

/// Returns the run as a candidate of a ranking. A run that failed, or from which nothing can be
/// forecast, carries the reason.
Candidate candidate_of(const Run& run, const Assessment& assessment);

/// Says how long a combination of settings has to be trained, as learned by training it once.
struct LearnedEpochs {
  std::int64_t epochs = 0;
  std::optional<double> accuracy;  // the best val_accuracy reached
  std::string run_id;
};
using LearnedBySettings = std::map<std::map<std::string, std::string>, LearnedEpochs>;

/// Returns what the runs of kind find_epochs teach, by settings. Runs of kind full that ended teach
/// accuracies only.
LearnedBySettings learned_epochs(std::span<const Run> runs);

/// Returns the samples of a full iteration of a run: the reported number, else that of its largest
/// lap; 0 = it has no laps.
std::int64_t batch_size_of(const Run& run);

/// Returns the values of the placeholders for people, such as "batch=128 lr=0.1".
std::string settings_text(const RunContext& context);

/// Returns the offers that runs carry with them (--price, fleet file), each once, in order.
std::vector<Offer> offers_of(std::span<const Run> runs);

/// Returns the offer that a run is billed under: the one that it carries, else the one that it
/// names, else the first for its machine type; nullptr when there is none. The result is valid as
/// long as run and offers are.
const Offer* offer_of(const Run& run, std::span<const Offer> offers);

/// Returns the price of so much time of the run under offer_of(), or why it has none.
Result<Money> cost_of_time(const Run& run, Seconds time, std::span<const Offer> offers);

/// Returns the price of the run's own wall time, as cost_of_time() does.
Result<Money> cost_of_run(const Run& run, std::span<const Offer> offers);

/// Returns how long a run to its end took, from start to end of the process. When it trained more
/// than `epochs` epochs, returns how long it would have taken had it ended after that many: the
/// time until the next epoch began, and its tear-down. With `epochs` 0 all its epochs count.
Seconds real_time(const Run& run, std::int64_t epochs);

/// Returns how long the training of a plan really took in a run that ended by itself: where all its
/// laps, or those of the plan's number of epochs, are the laps of the plan, to 1 % or one lap.
/// Returns nothing where they are not.
std::optional<Seconds> real_time_of(const Run& run, const TrainingPlan& plan);

/// Returns how long a job waits in a cluster's queue, by machine type: the mean of the waits of the
/// remote runs. The jobs of one sweep on one machine type also wait for each other (docs/slurm.md),
/// so only the shortest wait of each sweep counts.
std::map<std::string, Seconds> queue_waits(std::span<const Run> runs);

}  // namespace lapcast
