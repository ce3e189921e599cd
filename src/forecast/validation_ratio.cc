#include "forecast/validation_ratio.h"

#include <fmt/format.h>

#include <utility>

namespace lapcast {
namespace {

double training_sample(const SteadyLaps& steady) {
  return steady.samples_per_lap > 0 ? steady.mean.mid.count() / steady.samples_per_lap : 0;
}

Interval<Seconds> around(double mid, const Prior& factor) {
  return {Seconds{mid * factor.low}, Seconds{mid * factor.mid}, Seconds{mid * factor.high}};
}

}  // namespace

std::optional<ValidationRatio> validation_ratio(const LapProfile& profile, std::string where) {
  const auto& cost = profile.validation;
  const double trained = training_sample(profile.steady);
  if (!cost || cost->provenance != Provenance::measured || cost->last_alone) return std::nullopt;
  if (cost->samples <= 0 || trained <= 0) return std::nullopt;
  const double samples = static_cast<double>(cost->samples);
  return ValidationRatio{.first_ratio = cost->first.mid.count() / samples / trained,
                         .later_ratio = cost->later.mid.count() / samples / trained,
                         .samples = cost->samples,
                         .observed = cost->observed,
                         .schedule = profile.validations,
                         .where = std::move(where)};
}

void carry_validation(LapProfile& profile, const ValidationRatio& source, std::int64_t samples,
                      const Priors& priors) {
  const double trained = training_sample(profile.steady);
  const ValidationSchedule own = profile.validations;
  const auto quiet = static_cast<double>(own.quiet_epochs);
  const bool is_not_due = samples == 0 && quiet >= source.schedule.first;
  if ((profile.validation && profile.validation->observed > 0) || trained <= 0 || is_not_due)
    return;
  ValidationCost cost;
  cost.samples = samples > 0 ? samples : source.samples;
  const double of_all = trained * static_cast<double>(cost.samples);
  cost.first = around(source.first_ratio * of_all, priors.carried_validation);
  cost.later = around(source.later_ratio * of_all, priors.carried_validation);
  cost.provenance = Provenance::predicted;
  cost.why = fmt::format(
      "none was seen: carried over from {}, where a sample of it takes {:.2g} of a training "
      "sample's time; {:.2g} to {:.2g} times that here",
      source.where, source.later_ratio, priors.carried_validation.low,
      priors.carried_validation.high);
  profile.validation = std::move(cost);
  if (!own.observed && !own.is_quiet()) profile.validations = source.schedule;
}

}  // namespace lapcast
