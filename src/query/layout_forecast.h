#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/error.h"
#include "extrapolate/layout_scaling.h"
#include "query/worker_forecast.h"

namespace lapcast {

/// Names a layout that is asked for: the parallel ways of a transformer's training.
struct AskedLayout {
  int tensor = 1, pipeline = 1;
  std::optional<int> data;         // none = as many as leave the workers of the first run
  std::optional<int> micro_batch;  // none = as in the first run
};

/// Parses "tp=2,pp=4" or "tp=2,pp=4,dp=8,micro=1". Throws Error (usage) for anything else.
AskedLayout parse_layout(const std::string& text);

/// Asks for a training in other layouts.
struct LayoutQuestion {
  WorkerQuestion workers;  // its numbers of workers are not used
  std::vector<AskedLayout> layouts;
  std::optional<int> layers;  // of the network; none = as the program's arguments say
};

/// Holds the answer: one row of `trainings.scaled` for each layout.
struct LayoutForecast {
  WorkerForecast trainings;
  std::vector<Layout> layouts;
  bool layers_assumed = false;
};

/// Returns the layout of a run: tensor and pipeline parallel ways, micro-batch and layers by its
/// settings (`tp`, `pp`, `micro`) or the arguments of its program, as Megatron-LM and others call
/// them; the data parallel ways are what its workers leave. Returns the reason when these do not
/// fit together, or the samples of a lap or a micro-batch are not known.
Result<Layout> layout_of(const Run& run, const TrainingOnWorkers& training, double layers);

/// Forecasts the training of the first run in other layouts, with the same samples in a lap, from
/// all of the runs, which are of one program. Returns the reason when none of them has a forecast
/// and a layout. Throws Error (usage) for a layout that the workers or the batch do not allow.
Result<LayoutForecast> forecast_in_layouts(std::span<const Run> runs,
                                           const LayoutQuestion& question,
                                           RunForecaster& forecaster,
                                           std::span<const Offer> offers);

}  // namespace lapcast
