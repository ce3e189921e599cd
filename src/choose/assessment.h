#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/ranking.h"
#include "choose/validation_sources.h"
#include "forecast/forecast.h"
#include "run/run.h"

namespace lapcast {

/// What a run says about a training: each step, or the reason why there is none.
struct Assessment {
  Result<LapProfile> profile;
  Result<TrainingPlan> plan;
  Result<Forecast> forecast;
};

/// Assesses a run for the plan asked for; where a field of it is 0 the run's own requested plan and
/// then the program's reported plan count. With first_epochs > 0 from its first epochs only. What a
/// validation costs that the run did not reach is carried over from a donor that is like it.
Assessment assess(const Run& run, const RequestedPlan& asked = {}, std::int64_t first_epochs = 0,
                  std::span<const ValidationSource> validation_sources = {});

/// The run as a candidate of the ranking. A run that failed, or from which nothing can be forecast,
/// carries the reason.
Candidate candidate_of(const Run& run, const Assessment& assessment);

/// How long a setting has to be trained, as learned by training it once [M ch. 4].
struct LearnedEpochs {
  std::int64_t epochs = 0;
  std::optional<double> accuracy;  // the best val_accuracy reached
  std::string run_id;
};

/// From the runs of kind find_epochs (and, for accuracies only, full): by settings.
using LearnedBySettings = std::map<std::map<std::string, std::string>, LearnedEpochs>;
LearnedBySettings learned_epochs(std::span<const Run> runs);

/// Samples of a full iteration of a run: as reported, else as its largest lap has; 0 = no laps.
std::int64_t batch_size_of(const Run& run);

/// "batch=128 lr=0.1": the values of the placeholders, for people.
std::string settings_text(const RunContext& context);

/// The offers that runs carry with them (--price, fleet file), each once, in order.
std::vector<Offer> offers_of(std::span<const Run> runs);

/// The offer that one run is billed under: the one that it carries, else the one that it names,
/// else the first for its machine type; nullptr = none. Valid as long as run and offers are.
const Offer* offer_of(const Run& run, std::span<const Offer> offers);

/// Returns the price of so much time of the run under offer_of(), or why it has none.
Result<Money> cost_of_time(const Run& run, Seconds time, std::span<const Offer> offers);

/// cost_of_time() of its own wall time.
Result<Money> cost_of_run(const Run& run, std::span<const Offer> offers);

}  // namespace lapcast
