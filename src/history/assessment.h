#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "forecast/disturbance.h"
#include "forecast/forecast.h"
#include "forecast/validation_cost.h"
#include "history/past_forecasts.h"
#include "run/run.h"

namespace lapcast {

/// Holds what a run says about a training: each step, or the reason why it is missing. A step whose
/// predecessor is missing has the same reason.
struct Assessment {
  Result<LapProfile> profile;
  Result<TrainingPlan> plan;
  Result<Forecast> forecast;
  Conditions conditions = Conditions::as_measured;  // that all of these are for
  // The time of the whole training, averaged over moments, in kCases equally likely cases that
  // correspond across the candidates of machine_of(); null = not known (Moments).
  std::shared_ptr<const std::vector<double>> cases = nullptr;
  // How other runs correct every forecast of the run, whatever its plan: its laps take
  // exp(log_laps) times as long (Moments), and the time after `observed` has the bias of earlier
  // forecasts (TrackRecord); null = none.
  double log_laps = 0;
  std::shared_ptr<const PastBias> bias = nullptr;
  Seconds observed{0};
  Seconds later_end{0};  // how much longer its tear-down is than the profile's (TrackRecord)
};

using RunAssessor = std::function<Assessment(const Run&)>;

/// Returns a key that distinguishes machines whose speeds wander independently.
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

/// Returns the source with the same program and settings that observed the most validations (the
/// first of several); never the run itself. Returns nullptr when there is none. The result points
/// into `sources`.
const ValidationSource* validation_source_for(const RunContext& context,
                                              std::span<const ValidationSource> sources);

/// Says what a run is assessed for.
struct AssessmentRequest {
  /// A field that is 0 comes from the plan that the run was started with, and then from the one
  /// that the program reported.
  TrainingPlan plan = {};
  std::int64_t first_epochs = 0;  // > 0: only log_of_first_epochs() counts
  /// The cost of a validation that the run did not reach comes from validation_source_for() the
  /// run.
  std::span<const ValidationSource> sources = {};
  Conditions conditions = Conditions::as_measured;  // of the laps that count
  Method method = Method::lapcast;
};

/// Assesses a run. A measured run that was stopped with fewer than three steady laps, and not by a
/// race, has no forecast by Method::lapcast.
Assessment assess(const Run& run, const AssessmentRequest& request = {});

/// Returns the samples of a full iteration of a run: the reported number, else that of its largest
/// lap; 0 = it has no laps.
std::int64_t batch_size_of(const Run& run);

/// Returns how long a finished run took, from start to end of the process. When it trained more
/// than `epochs` epochs, returns how long it would have taken if it had ended after that many: the
/// time until the next epoch began, and the time after its last event. With `epochs` 0 all its
/// epochs count.
Seconds real_time(const Run& run, std::int64_t epochs);

/// Returns how long the training of a plan really took, from a run that ended by itself. The number
/// of laps of the run, or of the plan's number of epochs in it, must match the plan to 1 % or one
/// lap. Returns nothing if it does not, if the run did not end by itself, or if it went on where an
/// earlier session had stopped.
std::optional<Seconds> real_time_of(const Run& run, const TrainingPlan& plan);

/// Returns how long a job waits in a cluster's queue, by the name of the machine type: the mean of
/// the waits of the remote runs, 0 where the place has no queue. The jobs of one sweep on one
/// machine type also wait for each other (docs/fleet.md), so only the shortest wait of each sweep
/// counts.
std::map<std::string, Seconds> queue_waits(std::span<const Run> runs);

}  // namespace lapcast
