#include "app/forecast_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <variant>

#include "choose/assessment.h"
#include "choose/epochs_assessment.h"
#include "core/error.h"
#include "core/units.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

/// Returns the newest runs that `wanted` says yes to, the oldest of them first.
template <class Wanted>
std::vector<Run> newest_runs(const Store& store, const std::vector<RunSummary>& known,
                             const Wanted& wanted) {
  std::vector<Run> runs;
  for (auto each = known.rbegin(); each != known.rend(); ++each)
    if (runs.size() < TrackRecord::kMostRuns && wanted(*each)) runs.push_back(store.get(each->id));
  std::reverse(runs.begin(), runs.end());
  return runs;
}

/// Forecasts a training until the goal is reached: one of as many epochs as that takes.
ForecastRow forecast_until(const Run& run, const ForecastRequest& request,
                           std::span<const Run> others, RunForecaster& forecaster) {
  const EpochsOptions wanted{*request.goal, request.plan.epochs, request.first_epochs};
  const EpochsAssessment epochs = assess_epochs(run, wanted, others);
  RequestedPlan plan = request.plan;
  plan.steps = 0;
  if (epochs.needed) plan.epochs = epochs_to_plan(*epochs.needed);
  ForecastRow row{&run, forecaster.forecast(run, plan, request.first_epochs), {}, {}};
  if (!epochs.needed) row.assessment.forecast = tl::unexpected(epochs.needed.error());
  if (!row.assessment.forecast) return row;
  const auto time = time_until(*epochs.needed, row.assessment);
  if (!time) {
    row.assessment.forecast = tl::unexpected(time.error());
    return row;
  }
  row.assessment.forecast->total = *time;
  row.until = *epochs.needed;
  if (epochs.real && std::holds_alternative<outcome::Ended>(run.outcome))
    row.real = real_time(run, std::llround(std::ceil(*epochs.real)));
  return row;
}

}  // namespace

RunForecaster::RunForecaster(const Store& store, std::set<std::string> left_out)
    : store_(&store), known_(store.list()) {
  std::erase_if(known_, [&](const RunSummary& run) { return left_out.contains(run.id); });
}

Assessment RunForecaster::forecast(const Run& run, const RequestedPlan& plan,
                                   std::int64_t first_epochs) {
  Assessment own = assess(run, plan, first_epochs);
  if (store_ == nullptr || !own.profile) return own;
  const auto& validation = own.profile->validation;
  if (!validation || validation->observed == 0) {
    const auto sources = sources_for(run.context);
    if (validation_source_for(run.context, sources) != nullptr)
      own = assess(run, plan, first_epochs, sources);
  }
  return with_track_record(std::move(own), run, first_epochs, record_for(run.context));
}

const TrackRecord& RunForecaster::record_for(const RunContext& context) {
  const std::string file = context.program.empty() ? "" : context.program[0];
  const auto [entry, is_new] = records_.try_emplace(file);
  if (is_new && !file.empty())
    entry->second = TrackRecord(newest_runs(*store_, known_, [&](const RunSummary& run) {
      return run.kind == RunKind::full && run.program.starts_with(file);
    }));
  return entry->second;
}

std::span<const ValidationSource> RunForecaster::sources_for(const RunContext& context) {
  const std::string command = shown_program(context);
  const auto [entry, is_new] = sources_.try_emplace(command);
  if (is_new)
    entry->second = validation_sources_of(newest_runs(*store_, known_, [&](const RunSummary& run) {
      return run.has_laps && run.program == command;
    }));
  return entry->second;
}

RequestedPlan with_learned_epochs(RequestedPlan plan, const Run& run,
                                  const LearnedBySettings& learned) {
  const auto known = learned.find(run.context.settings);
  if (plan.epochs == 0 && plan.steps == 0 && known != learned.end())
    plan.epochs = known->second.epochs;
  return plan;
}

std::vector<ForecastRow> forecast_runs(const Store& store, std::span<const Run> runs,
                                       const ForecastRequest& request) {
  RunForecaster forecaster = request.alone ? RunForecaster() : RunForecaster(store);
  const std::vector<Run> others = request.goal ? store.runs() : std::vector<Run>{};
  std::vector<ForecastRow> rows;
  for (const Run& run : runs) {
    if (request.goal) {
      rows.push_back(forecast_until(run, request, others, forecaster));
      continue;
    }
    rows.push_back({&run, forecaster.forecast(run, request.plan, request.first_epochs), {}, {}});
    if (const Assessment& made = rows.back().assessment; made.plan)
      rows.back().real = real_time_of(run, *made.plan);
  }
  return rows;
}

TrainingGoal parse_target(const std::string& text, bool lower) {
  const std::size_t equals = text.rfind('=');
  const std::string name = equals == text.npos ? "" : text.substr(0, equals);
  const char* const end = text.data() + text.size();
  double value = 0;
  const auto [stop, error] =
      std::from_chars(std::min(text.data() + name.size() + 1, end), end, value);
  const bool fine = !name.empty() && name.size() <= 200 && printable(name) == name &&
                    error == std::errc{} && stop == end && std::isfinite(value);
  if (!fine)
    throw Error(ExitCode::usage, fmt::format("'{}' is no target; it is a metric that the program "
                                             "reports and a number, such as val_accuracy=0.75",
                                             printable(text, 100)));
  return {.metric = name, .smaller_is_better = lower || smaller_is_better(name), .target = value};
}

std::string describe(const TrainingGoal& goal) {
  if (goal.target)
    return fmt::format("{} {} {:g}", goal.metric,
                       goal.smaller_is_better ? "<=" : ">=", *goal.target);
  return fmt::format("{} not better for {} reports", goal.metric, goal.patience);
}

}  // namespace lapcast
