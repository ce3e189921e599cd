#include "query/layout_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "fleet/worker_gpus.h"
#include "lap/lap_log_format.h"
#include "machine/proc_text.h"
#include "run/command_arguments.h"

namespace lapcast {
namespace {

constexpr std::string_view kTensorNames[] = {"tp",
                                             "tp_size",
                                             "tensor_parallel",
                                             "tensor_parallel_size",
                                             "tensor_parallel_degree",
                                             "tensor_model_parallel_size"};
constexpr std::string_view kPipelineNames[] = {"pp",
                                               "pp_size",
                                               "pipeline_parallel",
                                               "pipeline_parallel_size",
                                               "pipeline_parallel_degree",
                                               "pipeline_model_parallel_size"};
constexpr std::string_view kMicroNames[] = {"micro", "micro_batch", "micro_batch_size", "mbs",
                                            "train_micro_batch_size_per_gpu"};
constexpr std::string_view kLayerNames[] = {"num_layers", "n_layers", "n_layer", "layers",
                                            "num_hidden_layers"};
constexpr int kUsualLayers = 24;

/// Returns what a setting or an argument with one of the names says.
std::optional<double> stated(const Run& run, std::span<const std::string_view> names) {
  for (const auto& [name, value] : run.context.settings)
    if (std::ranges::find(names, name) != names.end())
      if (const auto count = parse_count(value, kMostWorkers); count.value_or(0) > 0)
        return static_cast<double>(*count);
  const auto found = number_in_command(run.context.program, names);
  return found ? std::optional(static_cast<double>(*found)) : std::nullopt;
}

std::string text_of(const AskedLayout& asked) {
  std::string text = fmt::format("tp={},pp={}", asked.tensor, asked.pipeline);
  if (asked.data) text += fmt::format(",dp={}", *asked.data);
  return text;
}

/// Returns a layout that is asked for, with the samples of a lap of the first one.
Layout like_first(const AskedLayout& asked, const Layout& first) {
  Layout layout{.tensor = double(asked.tensor),
                .pipeline = double(asked.pipeline),
                .micro_batch = asked.micro_batch ? *asked.micro_batch : first.micro_batch,
                .layers = first.layers};
  const double workers = first.tensor * first.pipeline * first.data;
  layout.data = asked.data ? *asked.data : workers / (layout.tensor * layout.pipeline);
  if (layout.data < 1 || layout.data != std::floor(layout.data))
    throw Error(ExitCode::usage,
                fmt::format("--layout {} does not divide the {:g} workers of the first run; name "
                            "the data parallel ways, too: dp=N",
                            text_of(asked), workers));
  const double samples = first.micro_batch * first.micro_batches * first.data;
  layout.micro_batches = samples / (layout.micro_batch * layout.data);
  if (layout.micro_batches < 1)
    throw Error(ExitCode::usage,
                fmt::format("--layout {}: the {:g} samples of a lap are fewer than {:g} micro-"
                            "batches of {:g}; name a smaller one: micro=N",
                            text_of(asked), samples, layout.data, layout.micro_batch));
  return layout;
}

/// Fills in the rows of the layouts, from the layouts of the measured trainings.
void scale(LayoutForecast& forecast, std::span<const Layout> measured) {
  const std::vector<TrainingOnWorkers>& trainings = forecast.trainings.measured;
  std::vector<double> log_seconds;
  for (const TrainingOnWorkers& training : trainings)
    log_seconds.push_back(std::log(training.lap.mid.count()));
  const auto log_laps = forecast_layouts(measured, log_seconds, forecast.layouts);
  const TrainingOnWorkers& base = trainings.front();
  for (std::size_t i = 0; i < forecast.layouts.size(); ++i) {
    const Layout& layout = forecast.layouts[i];
    const double workers = layout.tensor * layout.pipeline * layout.data;
    ScaledTraining row{on_nodes(static_cast<int>(workers), forecast.trainings.in_node), nullptr,
                       seconds_of(log_laps[i]), 1, training_with_laps(base, 1, log_laps[i])};
    if (const auto same = std::ranges::find(measured, layout); same != measured.end()) {
      row.measured = &trainings[static_cast<std::size_t>(same - measured.begin())];
      row.lap = row.measured->lap;
      row.training = row.measured->training;
    }
    row.speed_up = base.lap.mid / row.lap.mid;
    forecast.trainings.scaled.rows.push_back(row);
  }
}

}  // namespace

AskedLayout parse_layout(const std::string& text) {
  const auto refused = [&] {
    return Error(ExitCode::usage,
                 fmt::format("'{}' is not a layout, such as tp=2,pp=4 or tp=2,pp=4,dp=8,micro=1",
                             printable(text)));
  };
  AskedLayout layout;
  std::set<std::string_view> seen;
  for (const std::string_view entry : split(text, ',')) {
    const std::size_t equals = std::min(entry.find('='), entry.size());
    const std::string_view name = entry.substr(0, equals);
    const auto count = parse_count(entry.substr(std::min(equals + 1, entry.size())), kMostWorkers);
    if (count.value_or(0) == 0 || !seen.insert(name).second) throw refused();
    const int value = static_cast<int>(*count);
    if (name == "tp")
      layout.tensor = value;
    else if (name == "pp")
      layout.pipeline = value;
    else if (name == "dp")
      layout.data = value;
    else if (name == "micro")
      layout.micro_batch = value;
    else
      throw refused();
  }
  return layout;
}

Result<Layout> layout_of(const Run& run, const TrainingOnWorkers& training, double layers) {
  Layout layout{.tensor = stated(run, kTensorNames).value_or(1),
                .pipeline = stated(run, kPipelineNames).value_or(1),
                .layers = layers};
  const double workers = training.workers.all();
  layout.data = workers / (layout.tensor * layout.pipeline);
  if (layout.data < 1 || layout.data != std::floor(layout.data))
    return because(
        fmt::format("{:g} tensor and {:g} pipeline parallel ways do not divide its {:g} workers",
                    layout.tensor, layout.pipeline, workers));
  if (training.batch <= 0) return because("the samples of a lap are not known");
  const auto micro = stated(run, kMicroNames);
  if (!micro && layout.pipeline > 1)
    return because("the samples of a micro-batch are not known: give --set micro=N a placeholder");
  layout.micro_batch = micro.value_or(training.batch / layout.data);
  layout.micro_batches = training.batch / (layout.micro_batch * layout.data);
  if (layout.micro_batches < 1)
    return because(
        fmt::format("a micro-batch of {:g} on {:g} data parallel ways is more than the "
                    "{:g} samples of a lap",
                    layout.micro_batch, layout.data, training.batch));
  return layout;
}

Result<LayoutForecast> forecast_in_layouts(std::span<const Run> runs,
                                           const LayoutQuestion& question,
                                           RunForecaster& forecaster,
                                           std::span<const Offer> offers) {
  auto found = measured_trainings(runs, question.workers, forecaster, offers);
  if (!found) return tl::unexpected(found.error());
  LayoutForecast forecast{*std::move(found), {}};
  std::optional<double> layers;
  if (question.layers) layers = *question.layers;
  if (!layers) layers = stated(runs.front(), kLayerNames);
  forecast.layers_assumed = !layers;
  std::vector<Layout> measured;
  std::vector<TrainingOnWorkers> known;
  for (const TrainingOnWorkers& training : forecast.trainings.measured) {
    const auto run =
        std::ranges::find(runs, training.run, [](const Run& each) { return each.context.id; });
    const auto layout = layout_of(*run, training, layers.value_or(kUsualLayers));
    if (layout) {
      measured.push_back(*layout);
      known.push_back(training);
    } else {
      forecast.trainings.left_out.push_back(
          fmt::format("run {}: {}", training.run, layout.error().text));
    }
  }
  if (measured.empty()) return because(forecast.trainings.left_out.front());
  forecast.trainings.measured = std::move(known);
  for (const AskedLayout& asked : question.layouts)
    forecast.layouts.push_back(like_first(asked, measured.front()));
  scale(forecast, measured);
  return forecast;
}

}  // namespace lapcast
