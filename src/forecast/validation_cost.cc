#include "forecast/validation_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "forecast/few_values.h"

namespace lapcast {
namespace {

constexpr double kFullShare = 0.95;     // of the samples: less is a short validation
constexpr double kFewDeviation = 0.05;  // relative sd assumed between validations of a run
// Of the mid. After one validation that may have been slow or, as in [M], a little fast:
constexpr Prior kLaterFromFirst{0.70, 1.0, 1.10};
// Short ones: their fixed part (switching modes, starting a loader) is scaled up with them.
constexpr Prior kFromShort{0.75, 1.0, 1.15};
constexpr Prior kFromOneShort{0.60, 1.0, 1.10};

using Spans = std::vector<ValidationSpan>;

// Before the first lap a validation is part of init.
Spans after_first_lap(const LapLog& log) {
  Spans spans;
  std::copy_if(log.validations.begin(), log.validations.end(), std::back_inserter(spans),
               [](const ValidationSpan& v) { return v.laps_before > 0; });
  return spans;
}

std::int64_t most_samples(const Spans& spans) {
  std::int64_t most = 0;
  for (const ValidationSpan& span : spans) most = std::max(most, span.samples);
  return most;
}

bool is_full(const ValidationSpan& span, std::int64_t samples) {
  return span.samples == 0 ||
         static_cast<double>(span.samples) >= kFullShare * static_cast<double>(samples);
}

Spans full_ones(const Spans& spans, std::int64_t samples) {
  Spans full;
  std::copy_if(spans.begin(), spans.end(), std::back_inserter(full),
               [samples](const ValidationSpan& span) { return is_full(span, samples); });
  return full;
}

Interval<Seconds> around(Seconds mid, const Prior& shares) {
  return {mid * shares.low, mid * shares.mid, mid * shares.high};
}

ValidationCost measured(const Spans& full, std::int64_t samples) {
  ValidationCost cost;
  cost.samples = samples;
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
  cost.provenance = Provenance::simulated;
  cost.later = around(per_sample * static_cast<double>(samples), skip ? kFromShort : kFromOneShort);
  const Seconds like_later = per_sample * static_cast<double>(spans[0].samples);
  const Seconds excess = std::max(Seconds{0}, spans[0].span.seconds() - like_later);
  cost.first = cost.later + Interval<Seconds>::exactly(excess);
  cost.why = fmt::format("from {} short validation{} of {} samples, scaled to {}", spans.size(),
                         spans.size() == 1 ? "" : "s", spans.back().samples, samples);
  return cost;
}

// Spacing in laps of full validations within epochs; 0 when fewer than three were seen: two may
// have been asked for by the supervisor.
double spacing_within_epochs(const Spans& full) {
  Spans within;
  std::copy_if(full.begin(), full.end(), std::back_inserter(within),
               [](const ValidationSpan& v) { return v.within_epoch; });
  if (within.size() < 3) return 0;
  return static_cast<double>(within.back().laps_before - within.front().laps_before) /
         static_cast<double>(within.size() - 1);
}

// Epochs after which the run went on, so that a validation at their end would have been seen.
std::int64_t epochs_seen_through(const LapLog& log) {
  const auto is_over = [&log](const EpochSpan& epoch) {
    const bool went_on = static_cast<std::int64_t>(log.laps.size()) > epoch.first_lap + epoch.laps;
    return epoch.ended && (went_on || log.said_bye);
  };
  return std::count_if(log.epochs.begin(), log.epochs.end(), is_over);
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
  Spans spans = after_first_lap(log);
  const std::int64_t wanted = samples > 0 ? samples : most_samples(spans);
  const Spans full = full_ones(spans, wanted);
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
  result.samples = samples;
  return result;
}

double validations_per_epoch(const LapLog& log, std::int64_t samples, double laps_per_epoch) {
  const Spans spans = after_first_lap(log);
  const Spans full = full_ones(spans, samples > 0 ? samples : most_samples(spans));
  const double spacing = spacing_within_epochs(full);
  if (spacing > 0 && laps_per_epoch > spacing) return laps_per_epoch / spacing;
  const std::int64_t epochs = epochs_seen_through(log);
  if (epochs < 2) return 1;
  return std::min(1.0, static_cast<double>(full.size()) / static_cast<double>(epochs));
}

}  // namespace lapcast
