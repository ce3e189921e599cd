#include "query/worker_forecast.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "core/units.h"
#include "fleet/worker_gpus.h"
#include "forecast/forecast.h"
#include "history/epochs_assessment.h"
#include "history/learned_epochs.h"
#include "lap/lap_log_format.h"
#include "machine/proc_text.h"
#include "run/run_cost.h"
#include "run/settings.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr std::int64_t kMostStated = 1'000'000'000;
constexpr std::size_t kOpeningBytes = 1024;  // of a log: its hello is the first line after its name

/// Returns how many machines the processes of a run tell that they are on.
double nodes_of(const Run& run) {
  constexpr std::string_view kHost = " host=";
  std::set<std::string_view> hosts;
  for (const std::string& log : run.lap_logs) {
    const std::string_view opening = std::string_view(log).substr(0, kOpeningBytes);
    const std::size_t at = opening.find(kHost);
    if (at == std::string_view::npos) continue;
    const std::string_view rest = opening.substr(at + kHost.size());
    hosts.insert(rest.substr(0, rest.find_first_of(" \n")));
  }
  return static_cast<double>(std::max<std::size_t>(1, hosts.size()));
}

/// Returns the settings that runs of one question share, other than workers and batch.
std::string other_settings(const Run& run) {
  RunContext context;
  context.settings = run.context.settings;
  context.settings.erase(kWorkersSetting);
  return settings_text(context);
}

/// Returns a context without what may differ between trainings of one program, but the batch.
RunContext besides_workers_and_seed(RunContext context) {
  context.settings.erase(kWorkersSetting);
  context.settings.erase(kSeedSetting);
  return context;
}

std::int64_t samples_of_a_lap(const Run& run) {
  std::int64_t most = 0;
  for (const Lap& lap : laps_of(run)->laps) most = std::max<std::int64_t>(most, lap.samples);
  return most;
}

}  // namespace

RunsByMachine runs_by_machine_type(const std::vector<Run>& runs, const std::string& machines) {
  RunsByMachine by_type;
  for (const Run& run : runs) by_type[run.context.machine_type.name].push_back(run);
  if (machines.empty()) return by_type;
  const auto named = by_type.contains(machines) ? std::vector<std::string_view>{machines}
                                                : split(std::string_view(machines), ',');
  for (const std::string_view name : named)
    if (!by_type.contains(std::string(name))) {
      std::vector<std::string> names;
      for (const auto& [type, own] : by_type) names.push_back(printable(type));
      throw Error(ExitCode::usage, fmt::format("--machine: the runs are on {}, and none is on '{}'",
                                               fmt::join(names, ", "), printable(name)));
    }
  std::vector<Run> chosen;
  for (const Run& run : runs)
    if (std::ranges::find(named, run.context.machine_type.name) != named.end())
      chosen.push_back(run);
  return {{machines, std::move(chosen)}};
}

Workers workers_of(const Run& run) {
  const auto log = laps_of(run);
  double count = log->hello ? log->hello->world_size : 1;
  if (count == 1) count = stated_workers(run.context.settings).value_or(1);
  const double nodes = std::min(nodes_of(run), count);
  return {nodes, count / nodes};
}

TrainingOnWorkers training_on_workers(const Run& run, const Assessment& assessment) {
  const Forecast& forecast = *assessment.forecast;
  TrainingOnWorkers training{.run = run.context.id,
                             .settings = other_settings(run),
                             .workers = workers_of(run),
                             .batch = static_cast<double>(samples_of_a_lap(run)),
                             .lap = assessment.profile->steady.mean,
                             .training = forecast.total};
  for (const ForecastPart& part : forecast.parts)
    if (part.kind != PartKind::laps) training.fixed += part.time.mid;
  training.epochs = static_cast<double>(assessment.plan->epochs);
  training.counts_laps = assessment.plan->epochs == 0 && assessment.plan->steps > 0;
  return training;
}

std::vector<int> parse_workers(const std::string& text) {
  std::vector<int> workers;
  for (const std::string_view part : split(text, ',')) {
    const auto value = parse_count(part, kMostWorkers);
    if (!value || *value == 0 || std::ranges::find(workers, int(*value)) != workers.end())
      throw Error(ExitCode::usage,
                  fmt::format("'{}' is not a list of different numbers of workers, such as 1,2,4",
                              printable(text)));
    workers.push_back(static_cast<int>(*value));
  }
  return workers;
}

EpochsByBatch parse_epochs_at(const std::string& text) {
  const auto refused = [&] {
    return Error(ExitCode::usage,
                 fmt::format("'{}' is not BATCH=EPOCHS,BATCH=EPOCHS, such as 256=10,1024=12",
                             printable(text)));
  };
  EpochsByBatch stated;
  for (const std::string_view entry : split(text, ',')) {
    const std::size_t equals = entry.find('=');
    if (equals == entry.npos) throw refused();
    const auto batch = parse_count(entry.substr(0, equals), kMostStated);
    const auto epochs = parse_count(entry.substr(equals + 1), kMostStated);
    if (batch.value_or(0) == 0 || epochs.value_or(0) == 0 ||
        !stated.emplace(double(*batch), Interval<double>::exactly(double(*epochs))).second)
      throw refused();
  }
  return stated;
}

EpochsByBatch learned_needs(const RunContext& run, std::span<const Run> trained) {
  const RunContext asked = besides_workers_and_seed(run);
  std::vector<Run> own;
  for (const Run& one : trained)
    if (one.context.kind == RunKind::find_epochs &&
        are_same_program(besides_workers_and_seed(one.context), asked))
      own.push_back(one);
  const auto newest =
      std::ranges::max_element(own, {}, [](const Run& one) { return one.context.started_at; });
  if (newest == own.end()) return {};
  const auto way = [](const Run& one) {
    return std::pair(one.context.metric, one.context.patience);
  };
  std::erase_if(own, [&, kept = way(*newest)](const Run& one) { return way(one) != kept; });
  for (Run& one : own) one.context.settings.erase(kSeedSetting);
  std::map<double, std::vector<double>> by_batch;
  for (const auto& [settings, learned] : learned_epochs(own)) {
    const auto example =
        std::ranges::find(own, settings, [](const Run& one) { return one.context.settings; });
    if (const std::int64_t batch = samples_of_a_lap(*example); batch > 0)
      for (const std::int64_t epochs : learned.trained)
        by_batch[double(batch)].push_back(double(epochs));
  }
  EpochsByBatch needs;
  for (const auto& [batch, epochs] : by_batch) {
    const double mid = mean(epochs), spread = spread_of_next(epochs);
    needs[batch] = {std::max(1.0, mid - spread), mid, mid + spread};
  }
  return needs;
}

Result<WorkerForecast> measured_trainings(std::span<const Run> runs, const WorkerQuestion& question,
                                          RunForecaster& forecaster,
                                          std::span<const Offer> offers) {
  WorkerForecast result{.in_node = question.in_node};
  for (const Run& run : runs) {
    TrainingPlan plan = question.plan;
    if (const auto batch = samples_of_a_lap(run); batch > 0 && !question.epochs_at.empty())
      plan.epochs = std::llround(epochs_at(question.epochs_at, double(batch)).mid);
    const Assessment assessment = forecaster.forecast(run, plan);
    if (!assessment.forecast) {
      result.left_out.push_back(
          fmt::format("run {}: {}", run.context.id, assessment.forecast.error().text));
      continue;
    }
    if (const Offer* offer = offer_of(run, offers); offer != nullptr && is_for_part(*offer))
      result.parts.emplace(run.context.id, *offer);
    else if (offer != nullptr && result.measured.empty())
      result.offer = *offer;
    result.measured.push_back(training_on_workers(run, assessment));
  }
  if (result.measured.empty())
    return because(result.left_out.empty() ? "no run is given" : result.left_out.front());
  if (question.machine != nullptr) {
    result.offer = question.machine->offer ? question.machine->offer : result.offer;
    if (paid_part(*question.machine, {{kWorkersSetting, "1"}}).gpus > 0)
      result.gpus_paid_singly = question.machine->gpus;
    if (result.in_node == 0) result.in_node = question.machine->gpus;
  }
  result.epochs_stated = !question.epochs_at.empty();
  return result;
}

Result<WorkerForecast> forecast_workers(std::span<const Run> runs, const WorkerQuestion& question,
                                        RunForecaster& forecaster, std::span<const Offer> offers) {
  WorkerQuestion asked = question;
  const bool learns = asked.epochs_at.empty() && asked.plan.epochs == 0 && asked.plan.steps == 0;
  if (learns) asked.epochs_at = asked.learned;
  auto result = measured_trainings(runs, asked, forecaster, offers);
  if (!result) return result;
  if (learns) result->learned = std::move(asked.learned);
  auto scaled = scale_training(result->measured, asked.workers, result->in_node, asked.epochs_at);
  if (!scaled) return tl::unexpected(scaled.error());
  result->scaled = *std::move(scaled);
  return result;
}

}  // namespace lapcast
