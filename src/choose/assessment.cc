#include "choose/assessment.h"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

#include "forecast/early_stopping.h"
#include "forecast/forecast.h"
#include "run/secrets.h"

namespace lapcast {
namespace {

RequestedPlan merged(const RequestedPlan& asked, const RequestedPlan& own) {
  RequestedPlan plan = asked;
  if (plan.epochs == 0 && plan.steps == 0) {
    plan.epochs = own.epochs;
    plan.steps = own.steps;
  }
  if (plan.training_samples == 0) plan.training_samples = own.training_samples;
  if (plan.validation_samples == 0) plan.validation_samples = own.validation_samples;
  if (plan.validate_every == 0) plan.validate_every = own.validate_every;
  if (plan.validate_from == 0) plan.validate_from = own.validate_from;
  return plan;
}

std::int64_t ended_epochs(const LapLog& log) {
  return std::count_if(log.epochs.begin(), log.epochs.end(),
                       [](const EpochSpan& epoch) { return epoch.ended; });
}

/// By how much earlier runs changed the forecast.
double factor_of(const Forecast& forecast) {
  for (const ForecastPart& part : forecast.parts) {
    if (part.kind == PartKind::earlier_runs)
      return forecast.total.mid / (forecast.total.mid - part.time.mid);
  }
  return 1;
}

}  // namespace

Assessment assess(const Run& run, const RequestedPlan& asked, std::int64_t first_epochs,
                  std::span<const ValidationSource> validation_sources) {
  const auto failed = [](const Reason& reason) {
    return Assessment{tl::unexpected(reason), tl::unexpected(reason), tl::unexpected(reason)};
  };
  if (!has_laps(run.outcome)) return failed(Reason{describe(run.outcome)});
  Assessment result = failed(Reason{"no laps"});
  result.profile = profile_of(run, first_epochs);
  if (!result.profile) return failed(result.profile.error());
  const RequestedPlan requested = merged(asked, run.context.plan);
  if (const ValidationSource* validation_source =
          validation_source_for(run.context, validation_sources))
    carry_validation(*result.profile, validation_source->validation,
                     requested.validation_samples > 0
                         ? requested.validation_samples
                         : result.profile->reported.validation_samples);
  result.plan = plan_of(requested, *result.profile);
  if (result.plan)
    result.forecast = forecast(*result.profile, *result.plan);
  else
    result.forecast = tl::unexpected(result.plan.error());
  return result;
}

Candidate candidate_of(const Run& run, const Assessment& assessment) {
  Candidate candidate{.run_id = run.context.id,
                      .machine_type = run.context.machine_type.name,
                      .offer = run.context.offer,
                      .settings = settings_text(run.context),
                      .time = because("")};
  if (!assessment.forecast) {
    candidate.time = tl::unexpected(assessment.forecast.error());
    return candidate;
  }
  candidate.time = assessment.forecast->total;
  candidate.epochs = static_cast<double>(assessment.plan->epochs);
  if (assessment.plan->epochs > 0) {
    const auto line = epoch_line(*assessment.profile, *assessment.plan);
    if (line) {
      const double factor = factor_of(*assessment.forecast);
      candidate.fixed_s = line->fixed_s * factor;
      candidate.per_epoch_s = line->per_epoch_s * factor;
    }
  }
  return candidate;
}

LearnedBySettings learned_epochs(std::span<const Run> runs) {
  LearnedBySettings result;
  for (const Run& run : runs) {
    if (run.context.kind == RunKind::probe || !has_laps(run.outcome)) continue;
    // One that was stopped before its end has not reached what it could.
    if (run.context.kind == RunKind::full && !std::holds_alternative<outcome::Ended>(run.outcome))
      continue;
    const LapLog log = laps_of(run);
    LearnedEpochs& learned = result[run.context.settings];
    if (const auto best = best_metric(log, "val_accuracy"))
      learned.accuracy = std::max(learned.accuracy.value_or(best->value), best->value);
    if (run.context.kind != RunKind::find_epochs) continue;
    const auto by_patience = run.context.patience > 0
                                 ? epochs_of_patience(log, run.context.metric, run.context.patience)
                                 : std::nullopt;
    learned.epochs = by_patience.value_or(ended_epochs(log));
    learned.run_id = run.context.id;
  }
  return result;
}

std::int64_t batch_size_of(const Run& run) {
  const LapLog log = laps_of(run);
  if (log.plan && log.plan->batch_size > 0) return log.plan->batch_size;
  std::int64_t largest = 0;
  for (const Lap& lap : log.laps) largest = std::max<std::int64_t>(largest, lap.samples);
  return largest;
}

std::string settings_text(const RunContext& context) {
  std::string text;
  for (const auto& [name, value] : context.settings)
    text += fmt::format("{}{}={}", text.empty() ? "" : " ", name, masked_value(name, value));
  return text;
}

std::vector<Offer> offers_of(std::span<const Run> runs) {
  std::vector<Offer> offers;
  for (const Run& run : runs)
    if (run.context.price &&
        std::find(offers.begin(), offers.end(), *run.context.price) == offers.end())
      offers.push_back(*run.context.price);
  return offers;
}

const Offer* offer_of(const Run& run, std::span<const Offer> offers) {
  const RunContext& context = run.context;
  if (context.price) return &*context.price;
  const auto found = std::find_if(offers.begin(), offers.end(), [&](const Offer& offer) {
    return context.offer.empty() ? offer.machine_type == context.machine_type.name
                                 : offer.name == context.offer;
  });
  return found == offers.end() ? nullptr : &*found;
}

Result<Money> cost_of_time(const Run& run, Seconds time, std::span<const Offer> offers) {
  const Offer* offer = offer_of(run, offers);
  if (offer == nullptr) return because("it has no price");
  const auto bill = quote(*offer, Interval<Seconds>::exactly(time));
  if (!bill) return tl::unexpected(bill.error());
  return bill->total.mid;
}

Result<Money> cost_of_run(const Run& run, std::span<const Offer> offers) {
  return cost_of_time(run, run.wall(), offers);
}

}  // namespace lapcast
