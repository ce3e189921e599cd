#include "forecast/validation_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "forecast/few_values.h"
#include "forecast/validation_schedule.h"

namespace lapcast {
namespace {

constexpr double kFewDeviation = 0.05;  // relative sd assumed between validations of a run
// Of the mid. After one validation that may have been slow or, as in [M], a little fast:
constexpr Prior kLaterFromFirst{0.70, 1.0, 1.10};
// Short ones: their fixed part (switching modes, starting a loader) is scaled up with them.
constexpr Prior kFromShort{0.75, 1.0, 1.15};
constexpr Prior kFromOneShort{0.60, 1.0, 1.10};

using Spans = ValidationSpans;

Interval<Seconds> around(Seconds mid, const Prior& shares) {
  return {mid * shares.low, mid * shares.mid, mid * shares.high};
}

ValidationCost measured(const Spans& full, std::int64_t samples) {
  ValidationCost cost;
  cost.samples = samples;
  cost.observed = std::ssize(full);
  cost.first = Interval<Seconds>::exactly(full[0].span.seconds());
  std::vector<double> later;
  for (std::size_t i = 1; i < full.size(); ++i) later.push_back(full[i].span.seconds().count());
  cost.later = later.empty() ? around(cost.first.mid, kLaterFromFirst)
                             : to_seconds(few_values_interval(later, kFewDeviation));
  cost.why = later.empty() ? "one full validation was seen; later ones are taken to be like it"
                           : fmt::format("{} full validations were seen", full.size());
  return cost;
}

ValidationCost from_short(const Spans& spans, std::int64_t samples) {
  const std::size_t skip = spans.size() > 1 ? 1 : 0;
  Seconds time{0};
  double seen = 0;
  for (std::size_t i = skip; i < spans.size(); ++i) {
    time += spans[i].span.seconds();
    seen += static_cast<double>(spans[i].samples);
  }
  const Seconds per_sample = time / seen;
  ValidationCost cost;
  cost.samples = samples;
  cost.observed = std::ssize(spans);
  cost.provenance = Provenance::simulated;
  cost.later = around(per_sample * static_cast<double>(samples), skip ? kFromShort : kFromOneShort);
  const Seconds like_later = per_sample * static_cast<double>(spans[0].samples);
  const Seconds excess = std::max(Seconds{0}, spans[0].span.seconds() - like_later);
  cost.first = cost.later + Interval<Seconds>::exactly(excess);
  cost.why = fmt::format("from {} short validation{} of {} samples, scaled to {}", spans.size(),
                         spans.size() == 1 ? "" : "s", spans.back().samples, samples);
  return cost;
}

}  // namespace

std::optional<ValidationCost> forward_share_cost(const SteadyLaps& steady, std::int64_t samples,
                                                 const Priors& priors) {
  if (steady.samples_per_lap <= 0 || samples <= 0) return std::nullopt;
  const double laps = static_cast<double>(samples) / steady.samples_per_lap;
  ValidationCost cost;
  cost.samples = samples;
  cost.provenance = Provenance::simulated;
  cost.later = around(steady.mean.mid * laps, priors.forward_share);
  cost.first = cost.later;
  cost.why = fmt::format(
      "no validation was seen: its samples are taken to cost {:.0f} % ({:.0f}-"
      "{:.0f} %) of a training sample's time",
      priors.forward_share.mid * 100, priors.forward_share.low * 100,
      priors.forward_share.high * 100);
  return cost;
}

std::optional<ValidationCost> validation_cost(const LapLog& log, std::int64_t samples,
                                              const SteadyLaps& steady, const Priors& priors) {
  Spans spans = validations_after_first_lap(log);
  const std::int64_t wanted = samples > 0 ? samples : most_samples(spans);
  const Spans full = full_validations(spans, wanted);
  if (!full.empty()) {
    const ValidationCost cost = measured(full, most_samples(full));
    return cost.samples > 0 ? for_samples(cost, wanted) : cost;
  }
  if (!spans.empty()) return from_short(spans, wanted);
  return forward_share_cost(steady, wanted, priors);
}

ValidationCost for_samples(const ValidationCost& cost, std::int64_t samples) {
  if (cost.samples == samples || cost.samples <= 0 || samples <= 0) return cost;
  const double factor = static_cast<double>(samples) / static_cast<double>(cost.samples);
  ValidationCost result = cost;
  result.first = scaled(cost.first, factor);
  result.later = scaled(cost.later, factor);
  if (cost.last_alone) result.last_alone = scaled(*cost.last_alone, factor);
  result.samples = samples;
  return result;
}

}  // namespace lapcast
