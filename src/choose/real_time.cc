#include "choose/real_time.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <variant>

namespace lapcast {
namespace {

/// Whether that many laps, counted in full batches, are what the plan has.
bool are_of_plan(std::span<const Lap> laps, const TrainingPlan& plan) {
  double full = 0;
  for (const Lap& lap : laps)
    full += plan.batch_size > 0 && lap.samples > 0 ? lap.samples / plan.batch_size : 1;
  const double planned = laps_of(plan);
  return std::abs(full - planned) <= std::max(1.0, planned / 100);
}

Seconds real_time(const Run& run, const LapLog& log, std::int64_t epochs) {
  const bool trained_more = epochs > 0 && static_cast<std::int64_t>(log.epochs.size()) > epochs;
  if (!trained_more) return run.wall();
  const Seconds after_the_last_event = run.wall() - from_ns(log.last_ns);
  return from_ns(log.epochs[static_cast<std::size_t>(epochs)].span.begin_ns) + after_the_last_event;
}

}  // namespace

Seconds real_time(const Run& run, std::int64_t epochs) {
  return real_time(run, laps_of(run), epochs);
}

std::optional<Seconds> real_time_of(const Run& run, const TrainingPlan& plan) {
  if (!std::holds_alternative<outcome::Ended>(run.outcome)) return std::nullopt;
  const LapLog log = laps_of(run);
  const std::span<const Lap> laps(log.laps);
  if (are_of_plan(laps, plan)) return run.wall();
  const auto epochs = static_cast<std::size_t>(std::max<std::int64_t>(0, plan.epochs));
  if (epochs == 0 || epochs >= log.epochs.size()) return std::nullopt;
  const auto until = static_cast<std::size_t>(log.epochs[epochs].first_lap);
  if (until > laps.size() || !are_of_plan(laps.first(until), plan)) return std::nullopt;
  return real_time(run, log, plan.epochs);
}

}  // namespace lapcast
