#include "forecast/validation_cost.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "core/units.h"
#include "forecast/validation_schedule.h"
#include "stats/intervals.h"

namespace lapcast {
namespace {

constexpr double kFewDeviation = 0.05;           // relative sd assumed between validations of a run
constexpr double kFewOverlappedDeviation = 0.2;  // the same where they run beside laps
// A validation that runs alone may be faster than beside laps, where both shared the machine.
constexpr double kFastestAlone = 0.5;
// The first validation loads and compiles what later ones find ready. In 2,395 public MLPerf runs
// with four or more, later ones took 0.17 to 1.2 of the first, median 0.76 to 0.86 whichever
// submitter is left out.
constexpr Prior kLaterFromFirst{0.2, 0.8, 1.2};
// A validation before the first lap may be the first work of all: it compiles and loads, and a
// later one may take a tiny part of its time (0.15 s after 10.2 s, a compiled GPT on a GPU).
constexpr Prior kLaterFromBeforeFirstLap{0.01, 0.4, 1.2};
// The fixed part of short ones (switching modes, starting a loader) is scaled up with them.
constexpr Prior kFromShort{0.75, 1.0, 1.15};
constexpr Prior kFromOneShort{0.60, 1.0, 1.10};

std::vector<double> lengths_of(std::span<const ValidationSpan> validations) {
  std::vector<double> seconds;
  for (const ValidationSpan& each : validations) seconds.push_back(each.span.seconds().count());
  return seconds;
}

ValidationCost measured(const ValidationSpans& full) {
  const Seconds first = full[0].span.seconds();
  const bool one = full.size() == 1;
  return {.first = Interval<Seconds>::exactly(first),
          .later = one ? around(first, kLaterFromFirst)
                       : to_seconds(few_values_interval(lengths_of(std::span(full).subspan(1)),
                                                        kFewDeviation)),
          .samples = most_samples(full),
          .observed = std::ssize(full),
          .why = one ? "one full validation was seen; later ones are usually a little faster"
                     : fmt::format("{} full validations were seen", full.size())};
}

ValidationCost from_short(const ValidationSpans& spans, std::int64_t samples) {
  const std::size_t skip = spans.size() > 1 ? 1 : 0;
  Seconds time{0};
  double seen = 0;
  for (std::size_t i = skip; i < spans.size(); ++i) {
    time += spans[i].span.seconds();
    seen += static_cast<double>(spans[i].samples);
  }
  const Seconds per_sample = time / seen;
  const auto later =
      around(per_sample * static_cast<double>(samples), skip ? kFromShort : kFromOneShort);
  const Seconds like_later = per_sample * static_cast<double>(spans[0].samples);
  const Seconds excess = std::max(Seconds{0}, spans[0].span.seconds() - like_later);
  return {
      .first = later + Interval<Seconds>::exactly(excess),
      .later = later,
      .samples = samples,
      .observed = std::ssize(spans),
      .provenance = Provenance::simulated,
      .why = fmt::format("from {} of {} samples, scaled to {}",
                         counted(spans.size(), "short validation"), spans.back().samples, samples)};
}

/// Returns the cost of validations without reported samples from the last one before the first lap,
/// which is slower than later ones if it was the program's first work.
ValidationCost from_before_first_lap(const ValidationSpans& spans) {
  const auto later = around(spans.back().span.seconds(), kLaterFromBeforeFirstLap);
  return {.first = later,
          .later = later,
          .observed = std::ssize(spans),
          .provenance = Provenance::simulated,
          .why =
              "one before the first lap was seen, which may have compiled; later ones are "
              "usually faster, some take next to nothing"};
}

Interval<Seconds> at_least_nothing(const Interval<double>& interval) {
  return to_seconds(
      {std::max(0.0, interval.low), std::max(0.0, interval.mid), std::max(0.0, interval.high)});
}

/// Returns the seconds that a training sample takes; 0 = not known.
double training_sample(const SteadyLaps& steady) {
  return steady.samples_per_lap > 0 ? steady.mean.mid.count() / steady.samples_per_lap : 0;
}

}  // namespace

std::optional<ValidationCost> forward_share_cost(const SteadyLaps& steady, std::int64_t samples) {
  if (steady.samples_per_lap <= 0 || samples <= 0) return std::nullopt;
  const Prior& share = kPriors.forward_share;
  const double laps = static_cast<double>(samples) / steady.samples_per_lap;
  const Interval<Seconds> time = around(steady.mean.mid * laps, share);
  return ValidationCost{
      .first = time,
      .later = time,
      .samples = samples,
      .provenance = Provenance::simulated,
      .why = fmt::format("no validation was seen: its samples are taken to cost {:.0f} % "
                         "({:.0f}-{:.0f} %) of a training sample's time",
                         share.mid * 100, share.low * 100, share.high * 100)};
}

std::optional<ValidationCost> validation_cost(const LapLog& log, std::int64_t samples,
                                              const SteadyLaps& steady) {
  const ValidationSpans spans = validations_after_first_lap(log);
  const std::int64_t wanted = samples > 0 ? samples : most_samples(spans);
  const ValidationSpans full = full_validations(spans, wanted);
  if (!full.empty()) return for_samples(measured(full), wanted);
  if (!spans.empty()) return from_short(spans, wanted);
  const bool tells_samples = most_samples(log.validations) > 0;
  if (wanted <= 0 && !tells_samples && !log.validations.empty())
    return from_before_first_lap(log.validations);
  return forward_share_cost(steady, wanted);
}

ValidationCost announced_cost(Seconds epoch) {
  const Prior& share = kPriors.announced_validation;
  const Interval<Seconds> time = around(epoch, share);
  return {.first = time,
          .later = time,
          .provenance = Provenance::predicted,
          .why = fmt::format("announced, but none was seen: it is taken to last {:.1f} epochs of "
                             "training ({:.0f} to {:.0f})",
                             share.mid, share.low, share.high)};
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

std::optional<ValidationCost> overlapped_cost(const Series& series, std::int64_t samples,
                                              const SteadyLaps& steady) {
  const ValidationSpans spans = validations_after_first_lap(series.log);
  const std::int64_t wanted = samples > 0 ? samples : most_samples(spans);
  ValidationSpans beside_laps = full_validations(spans, wanted);
  std::erase_if(beside_laps,
                [&](const auto& each) { return laps_beside(series.log, each).empty(); });
  if (beside_laps.empty()) return std::nullopt;
  std::vector<double> slowdowns;
  for (const ValidationSpan& validation : beside_laps)
    slowdowns.push_back(
        series.excess(laps_beside(series.log, validation), steady.mean.mid.count()));
  const Interval<Seconds> slowdown =
      at_least_nothing(few_values_interval(slowdowns, kFewOverlappedDeviation));
  Interval<Seconds> alone =
      to_seconds(few_values_interval(lengths_of(beside_laps), kFewOverlappedDeviation));
  alone.low = std::min(alone.low, alone.mid * kFastestAlone);
  return ValidationCost{
      .first = slowdown,
      .later = slowdown,
      .last_alone = alone,
      .samples = wanted,
      .observed = std::ssize(slowdowns),
      .why = fmt::format("{} ran beside laps: what those took longer; the last, {}, is waited for",
                         slowdowns.size(), format_duration(alone.mid))};
}

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

void carry_validation(LapProfile& profile, const ValidationRatio& source, std::int64_t samples) {
  const double trained = training_sample(profile.steady);
  const ValidationSchedule own = profile.validations;
  const auto quiet = static_cast<double>(own.quiet_for);
  const bool is_not_due = samples == 0 && quiet >= source.schedule.first;
  if ((profile.validation && profile.validation->observed > 0) || trained <= 0 || is_not_due)
    return;
  const Prior& factors = kPriors.carried_validation;
  const std::int64_t wanted = samples > 0 ? samples : source.samples;
  const double of_all = trained * static_cast<double>(wanted);
  profile.validation = ValidationCost{
      .first = around(Seconds{source.first_ratio * of_all}, factors),
      .later = around(Seconds{source.later_ratio * of_all}, factors),
      .samples = wanted,
      .provenance = Provenance::predicted,
      .why = fmt::format("none was seen: carried over from {}, where a sample of it takes {:.2g} "
                         "of a training sample's time; {:.2g} to {:.2g} times that here",
                         source.where, source.later_ratio, factors.low, factors.high)};
  if (!own.observed && !own.is_quiet()) profile.validations = source.schedule;
}

}  // namespace lapcast
