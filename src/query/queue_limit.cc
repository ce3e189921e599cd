#include "query/queue_limit.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "core/units.h"
#include "fleet/candidates.h"
#include "query/forecast_run.h"
#include "run/program_folder.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

constexpr std::size_t kMostProbes = 100;  // of a program that are read

QueueLimit limit_of(Seconds time, const std::string& why) {
  return {to_ns(time), fmt::format("{}, {}", format_duration(time), why)};
}

/// Returns the limit of the partition, for a training of which nothing else is known.
QueueLimit limit_without_forecast(const std::optional<PartitionLimit>& partition) {
  constexpr const char* kWhy = "no forecast of this training is known";
  if (!partition) return {0, fmt::format("the partition's own limit: {}", kWhy)};
  const std::string of_it = fmt::format("the limit of the partition {}: {}", partition->name, kWhy);
  if (partition->most) return limit_of(*partition->most, of_it);
  return {kNoTimeLimit, "as long as it needs, " + of_it};
}

/// Returns the limit that the user, the forecast and the partition lead to, for a training of which
/// the user or a forecast says something.
QueueLimit shortest_limit(const QueuedTraining& training) {
  if (training.asked) return limit_of(*training.asked, "as --time-limit says");
  std::optional<QueueLimit> limit;
  const auto take = [&](Seconds time, const std::string& why) {
    if (!limit || to_ns(time) < limit->ns) limit = limit_of(time, why);
  };
  if (const auto& forecast = training.forecast)
    take(kRoomForTraining * forecast->high,
         fmt::format("{} times the upper end of its forecast ({})", kRoomForTraining,
                     format_duration(forecast->high)));
  if (training.max_time) take(*training.max_time, "as --max-time says");
  if (const auto& partition = training.partition; partition && partition->most)
    take(*partition->most, fmt::format("the limit of the partition {}", partition->name));
  return *limit;
}

}  // namespace

Result<QueueLimit> queue_limit(const QueuedTraining& training) {
  const auto& [asked, max_time, forecast, partition, goes_on] = training;
  if (asked && partition && partition->most && *asked > *partition->most)
    return because(fmt::format("--time-limit {}: the partition {} allows {} at most",
                               format_duration(*asked), partition->name,
                               format_duration(*partition->most)));
  if (!asked && !forecast && !max_time) return limit_without_forecast(partition);
  QueueLimit limit = shortest_limit(training);
  const Seconds time = from_ns(limit.ns);
  const bool is_users = asked || (max_time && time >= *max_time);
  if (!forecast || time >= forecast->high) return limit;
  const std::string what =
      fmt::format("the training takes {} ({} to {}) by forecast", format_duration(forecast->mid),
                  format_duration(forecast->low), format_duration(forecast->high));
  if (time < forecast->mid && !goes_on && !is_users)
    return because(fmt::format(
        "the partition {} lets a job run for {}, and {}: choose a machine of another partition "
        "with --to, or let it go on from a checkpoint with --resume-flag",
        partition->name, format_duration(time), what));
  if (max_time && time >= *max_time)  // it counts all jobs of a training
    limit.warning =
        fmt::format("{}, and ends after {} as --max-time says", what, format_duration(*max_time));
  else
    limit.warning =
        fmt::format("{}, and may be cut off by its limit of {}{}", what, format_duration(time),
                    goes_on ? "; it then goes on in another job" : "");
  return limit;
}

std::optional<Interval<Seconds>> forecast_of_training(const Store& store,
                                                      const RunContext& context) {
  const std::vector<Run> runs = store.runs({.folder = folder_of_program(context),
                                            .command = shown_program(context),
                                            .newest = kMostProbes,
                                            .with_laps = true});
  RunForecaster forecaster(store);
  for (auto run = runs.rbegin(); run != runs.rend(); ++run) {
    if (candidate_key(run->context) != candidate_key(context)) continue;
    if (const auto made = forecaster.forecast(*run, context.plan); made.forecast)
      return made.forecast->total;
  }
  return std::nullopt;
}

}  // namespace lapcast
