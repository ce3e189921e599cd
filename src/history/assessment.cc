#include "history/assessment.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <utility>
#include <variant>

#include "forecast/forecast.h"
#include "forecast/lap_profiler.h"
#include "forecast/learning_curve.h"
#include "run/attempts.h"
#include "run/race_outcomes.h"
#include "run/secrets.h"
#include "stats/distributions.h"
#include "stats/intervals.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

TrainingPlan merged(const TrainingPlan& asked, const TrainingPlan& own) {
  TrainingPlan plan = asked;
  if (plan.epochs == 0 && plan.steps == 0) {
    plan.epochs = own.epochs;
    plan.steps = own.steps;
  }
  for (const auto field : {&TrainingPlan::training_samples, &TrainingPlan::validation_samples,
                           &TrainingPlan::validate_every, &TrainingPlan::validate_from})
    if (plan.*field == 0) plan.*field = own.*field;
  return plan;
}

/// Returns whether a run may have been stopped before it showed how long a lap is. A race knows
/// what few laps are worth, and each lap of an imported log may stand for a whole epoch.
bool was_stopped_early(const Run& run) {
  return !was_imported(run.context) && !was_stopped_by_race(run.outcome) &&
         !std::holds_alternative<outcome::Ended>(run.outcome);
}

/// Returns whether the laps, counted in full batches, are as many as the plan has.
bool are_of_plan(std::span<const Lap> laps, const TrainingPlan& plan) {
  double full = 0;
  for (const Lap& lap : laps)
    full += plan.batch_size > 0 && lap.samples > 0 ? lap.samples / plan.batch_size : 1;
  const double planned = laps_of(plan);
  return std::abs(full - planned) <= std::max(1.0, planned / 100);
}

Seconds real_time(const Run& run, const LapLog& log, std::int64_t epochs) {
  const bool trained_more = epochs > 0 && static_cast<std::int64_t>(log.epochs.size()) > epochs;
  if (!trained_more) return training_time(run);
  const Seconds after_the_last_event = run.wall() - from_ns(log.last_ns);
  return from_ns(log.epochs[static_cast<std::size_t>(epochs)].span.begin_ns) + after_the_last_event;
}

}  // namespace

std::string machine_of(const Run& run) {
  return run.context.place + '\n' + run.context.machine.host;
}

std::string where_of(const RunContext& context) {
  if (was_imported(context)) return "imported";
  return context.place.empty() ? "here" : context.place;
}

Assessment assess(const Run& run, const AssessmentRequest& request) {
  const auto failed = [&](const Reason& reason) {
    return Assessment{tl::unexpected(reason), tl::unexpected(reason), tl::unexpected(reason),
                      request.conditions};
  };
  if (!may_have_laps(run.outcome)) return failed(Reason{shown_outcome(run)});
  Result<LapProfile> profile = profile_of(run, request.first_epochs, request.conditions);
  if (!profile) return failed(profile.error());
  const TrainingPlan requested = merged(request.plan, run.context.plan);
  if (const ValidationSource* source = validation_source_for(run.context, request.sources))
    carry_validation(*profile, source->validation,
                     requested.validation_samples > 0 ? requested.validation_samples
                                                      : profile->reported.validation_samples);
  Result<TrainingPlan> plan = plan_of(requested, *profile);
  Result<Forecast> made = plan.and_then(
      [&](const TrainingPlan& known) { return forecast(*profile, known, request.method); });
  if (const auto early = why_too_early(*profile);
      made && early && request.method == Method::lapcast && was_stopped_early(run))
    made = because(early->text + ": a longer --budget or a larger --max-laps gives it more");
  return {std::move(profile), std::move(plan), std::move(made), request.conditions};
}

std::int64_t batch_size_of(const Run& run) {
  const auto log = laps_of(run);
  if (log->plan && log->plan->batch_size > 0) return log->plan->batch_size;
  std::int64_t largest = 0;
  for (const Lap& lap : log->laps) largest = std::max<std::int64_t>(largest, lap.samples);
  return largest;
}

std::vector<ValidationSource> validation_sources_of(std::span<const Run> runs) {
  std::vector<ValidationSource> sources;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    if (laps_of(run)->validations.empty()) continue;  // cheaper to check than a profile
    const auto profile = profile_of(run);
    if (!profile) continue;
    auto validation = validation_ratio(
        *profile, fmt::format("run {} on {}", context.id, context.machine_type.name));
    if (validation)
      sources.push_back({context.id, context.program, context.settings, *std::move(validation)});
  }
  return sources;
}

const ValidationSource* validation_source_for(const RunContext& context,
                                              std::span<const ValidationSource> sources) {
  const ValidationSource* best = nullptr;
  for (const ValidationSource& source : sources) {
    if (source.run_id == context.id || source.program != context.program ||
        source.settings != context.settings)
      continue;
    if (best == nullptr || source.validation.observed > best->validation.observed) best = &source;
  }
  return best;
}

Seconds real_time(const Run& run, std::int64_t epochs) {
  return real_time(run, *laps_of(run), epochs);
}

std::optional<Seconds> real_time_of(const Run& run, const TrainingPlan& plan) {
  if (!is_whole_training(run)) return std::nullopt;
  const auto log = laps_of(run);
  const std::span<const Lap> laps(log->laps);
  if (are_of_plan(laps, plan)) return run.wall();
  const auto epochs =
      static_cast<std::size_t>(std::max<std::int64_t>(0, plan.epochs - plan.epochs_done));
  if (epochs == 0 || epochs >= log->epochs.size()) return std::nullopt;
  const auto until = static_cast<std::size_t>(log->epochs[epochs].first_lap);
  if (until > laps.size() || !are_of_plan(laps.first(until), plan)) return std::nullopt;
  return real_time(run, *log, static_cast<std::int64_t>(epochs));
}

std::map<std::string, Seconds> queue_waits(std::span<const Run> runs) {
  // The keys are the machine type, then the sweep, or the run where there is none.
  std::map<std::string, std::map<std::string, Seconds>> shortest;
  for (const Run& run : runs) {
    const RunContext& context = run.context;
    if (context.place.empty()) continue;
    const Seconds waited = preparation_time(run, "queue");
    const auto [entry, is_first] = shortest[context.machine_type.name].emplace(
        context.sweep.empty() ? context.id : context.sweep, waited);
    if (!is_first) entry->second = std::min(entry->second, waited);
  }
  std::map<std::string, Seconds> means;
  for (const auto& [machine, waits] : shortest) {
    Seconds sum{0};
    for (const auto& [sweep, waited] : waits) sum += waited;
    means[machine] = sum / static_cast<double>(waits.size());
  }
  return means;
}

}  // namespace lapcast
