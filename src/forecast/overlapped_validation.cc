#include "forecast/overlapped_validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "core/units.h"
#include "forecast/few_values.h"
#include "forecast/lap_series.h"
#include "forecast/validation_schedule.h"

namespace lapcast {
namespace {

constexpr double kFewOverlappedDeviation = 0.2;  // relative sd assumed of what few of them cost
// Alone it may be faster than beside laps, by up to a half: then both shared the machine.
constexpr double kFastestAlone = 0.5;

double slowdown(const Series& series, const LapRange& range, double steady_lap) {
  double excess = 0;
  for (std::size_t i = range.first; i < range.end; ++i)
    if (!series.is_overhead(i)) excess += series.costs[i] - steady_lap * series.share(i);
  return excess;
}

Interval<Seconds> at_least_nothing(Interval<double> interval) {
  return to_seconds(
      {std::max(0.0, interval.low), std::max(0.0, interval.mid), std::max(0.0, interval.high)});
}

}  // namespace

void leave_out_laps_beside(const LapLog& log, FullLaps& full) {
  std::vector<bool> beside(log.laps.size());
  bool any = false;
  for (const ValidationSpan& validation : log.validations) {
    const LapRange range = laps_beside(log, validation);
    for (std::size_t i = range.first; i < range.end; ++i) any = beside[i] = true;
  }
  if (!any) return;
  FullLaps rest = full;
  rest.seconds.clear();
  rest.index.clear();
  for (std::size_t i = 0; i < full.index.size(); ++i) {
    if (beside[full.index[i]]) continue;
    rest.seconds.push_back(full.seconds[i]);
    rest.index.push_back(full.index[i]);
  }
  if (2 * rest.index.size() >= full.index.size()) full = std::move(rest);
}

std::optional<ValidationCost> overlapped_cost(const Series& series, std::int64_t samples,
                                              const SteadyLaps& steady) {
  const ValidationSpans spans = validations_after_first_lap(series.log);
  const std::int64_t wanted = samples > 0 ? samples : most_samples(spans);
  std::vector<double> slowdowns, lengths;
  for (const ValidationSpan& validation : full_validations(spans, wanted)) {
    const LapRange range = laps_beside(series.log, validation);
    if (range.empty()) continue;
    slowdowns.push_back(slowdown(series, range, steady.mean.mid.count()));
    lengths.push_back(validation.span.seconds().count());
  }
  if (slowdowns.empty()) return std::nullopt;
  ValidationCost cost;
  cost.samples = wanted;
  cost.observed = std::ssize(slowdowns);
  cost.later = cost.first =
      at_least_nothing(few_values_interval(slowdowns, kFewOverlappedDeviation));
  cost.last_alone = to_seconds(few_values_interval(lengths, kFewOverlappedDeviation));
  cost.last_alone->low = std::min(cost.last_alone->low, cost.last_alone->mid * kFastestAlone);
  cost.why = fmt::format("{} ran beside laps: what those took longer; the last, {}, is waited for",
                         cost.observed, format_duration(cost.last_alone->mid));
  return cost;
}

}  // namespace lapcast
