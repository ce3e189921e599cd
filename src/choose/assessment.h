#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "core/seconds.h"
#include "forecast/disturbance.h"
#include "forecast/forecast.h"
#include "forecast/past_forecasts.h"
#include "forecast/validation_cost.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a run says about a training: each step, or the reason why it is missing. A step whose
/// predecessor is missing has the same reason.
struct Assessment {
  Result<LapProfile> profile;
  Result<TrainingPlan> plan;
  Result<Forecast> forecast;
  Conditions conditions = Conditions::as_measured;  // that all of these are for
  // The time of the whole training as a mean over moments, in kCases equally likely cases that go
  // together over the candidates of machine_of(); null = not known (Moments).
  std::shared_ptr<const std::vector<double>> cases = nullptr;
  // What other runs change in every forecast of the run, whatever its plan: its laps take
  // exp(log_laps) times as long (Moments), and what comes after `observed` has the bias of earlier
  // forecasts (TrackRecord); null = none.
  double log_laps = 0;
  std::shared_ptr<const PastBias> bias = nullptr;
  Seconds observed{0};
  Seconds later_end{0};  // its tear-down is so much longer than the profile's (TrackRecord)
};

/// Returns what tells machines apart whose speeds wander independently.
std::string machine_of(const Run& run);

/// Returns where a run was made, for people: "here", "ssh gpu-box", "imported".
std::string where_of(const RunContext& context);

/// Describes a run with measured validations, whose validation cost can be used for other runs.
struct ValidationSource {
  std::string run_id;
  std::vector<std::string> program;
  std::map<std::string, std::string> settings;
  ValidationRatio validation;
};

/// Returns the runs whose measured validation cost can be used for other runs.
std::vector<ValidationSource> validation_sources_of(std::span<const Run> runs);

/// Returns the source with the same program and settings that observed the most validations, and of
/// several the first; never the run itself. Returns nullptr when there is none. The result points
/// into `sources`.
const ValidationSource* validation_source_for(const RunContext& context,
                                              std::span<const ValidationSource> sources);

/// Assesses a run for the plan `asked`. A field that is 0 comes from the plan that the run was
/// started with, and then from the one that the program reported. With `first_epochs` > 0 only the
/// log of so many epochs counts (log_of_first_epochs()). The cost of a validation that the run did
/// not reach comes from validation_source_for() the run. The laps are those of the conditions.
/// A measured run that was stopped with fewer than three steady laps, and not by a race, has no
/// forecast by Method::lapcast.
Assessment assess(const Run& run, const RequestedPlan& asked = {}, std::int64_t first_epochs = 0,
                  std::span<const ValidationSource> sources = {},
                  Conditions conditions = Conditions::as_measured, Method method = Method::lapcast);

/// Returns the run as a candidate of a ranking, without a wait and an accuracy, which the caller
/// adds. Where nothing is forecast, Candidate::time has the reason. The time by a paper's method is
/// without an interval: such a method says nothing of its error.
Candidate candidate_of(const Run& run, const Assessment& assessment);

/// Says how long a combination of settings has to be trained, as learned by training it.
struct LearnedEpochs {
  std::int64_t epochs = 0;  // the mean of `trained`, rounded to the nearest; 0 = not learned
  std::vector<std::int64_t> trained;  // epochs of each training, in order of their begin
  std::optional<double> accuracy;     // the best val_accuracy of all its runs
};
/// Maps the settings of runs (RunContext::settings) to what was learned with them.
using LearnedBySettings = std::map<std::map<std::string, std::string>, LearnedEpochs>;

/// Returns what the runs of kind find_epochs teach, by settings. Trainings that differ in nothing
/// but the value that lapcast itself gave the setting "seed" are repeats of one: they are also
/// under the settings with seed=0, which their probes have. Of several sweeps, or ways to stop, the
/// newest one counts. Runs of kind full that ended by themselves teach accuracies only.
LearnedBySettings learned_epochs(std::span<const Run> runs);

/// Adds to a candidate what was learned of its settings. Where its forecast is for the mean number
/// of epochs of at least two trainings, its time gets the spread of one more training around that
/// mean: in epochs t(0.975, n - 1) sd sqrt(1 + 1 / n) (Hahn and Meeker, Statistical Intervals,
/// 1991, ch. 4.7), independent of the error of the forecast, and no fewer than one. Its cases stay
/// those of the mean number.
void add_learned(Candidate& candidate, const LearnedEpochs& learned);

/// Returns the samples of a full iteration of a run: the reported number, else that of its largest
/// lap; 0 = it has no laps.
std::int64_t batch_size_of(const Run& run);

/// Is the placeholder that lapcast itself fills in where a program is run repeatedly.
inline constexpr const char* kSeedSetting = "seed";
/// Is its value in probes; repeats have 1, 2, 3 ...
inline constexpr const char* kSeedOfProbes = "0";

/// Returns the settings for people, such as "batch=128 lr=0.1", with secrets masked.
std::string settings_text(const RunContext& context);

/// Returns "batch=128 device=cuda", without the seed, which tells runs of one set apart.
std::string settings_of_set(const RunContext& context);

/// Returns the offers in RunContext::price of the runs (--price, fleet file), each once, in order.
std::vector<Offer> offers_of(std::span<const Run> runs);

/// Returns the offer that a run is billed under: RunContext::price, else the one in `offers` with
/// the name RunContext::offer, or, where that is empty, the first for its machine type; nullptr
/// when there is none. The result is valid as long as `run` and `offers` are.
const Offer* offer_of(const Run& run, std::span<const Offer> offers);

/// Returns the bill (quote()) for so much time of the run under offer_of(), or why it has none.
Result<Money> cost_of_time(const Run& run, Seconds time, std::span<const Offer> offers);

/// Returns cost_of_time() of the run's own wall time.
Result<Money> cost_of_run(const Run& run, std::span<const Offer> offers);

/// Returns how long a run to its end took, from start to end of the process. When it trained more
/// than `epochs` epochs, returns how long it would have taken had it ended after that many: the
/// time until the next epoch began, and the time after its last event. With `epochs` 0 all its
/// epochs count.
Seconds real_time(const Run& run, std::int64_t epochs);

/// Returns how long the training of a plan really took, by a run that ended by itself. All laps of
/// the run, or those of the plan's number of epochs, must be as many as the plan has, to 1 % or one
/// lap. Returns nothing where they are not, or the run did not end by itself.
std::optional<Seconds> real_time_of(const Run& run, const TrainingPlan& plan);

/// Returns how long a job waits in a cluster's queue, by the name of the machine type: the mean of
/// the waits of the remote runs, 0 where the place has no queue. The jobs of one sweep on one
/// machine type also wait for each other (docs/fleet.md), so only the shortest wait of each sweep
/// counts.
std::map<std::string, Seconds> queue_waits(std::span<const Run> runs);

}  // namespace lapcast
