#include "stats/coarse_series.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "stats/summary.h"

namespace lapcast {
namespace {

// How many values the search for the steady state is spared at the head; it leaves out one more.
std::size_t spared(std::size_t n) {
  const std::size_t kept = (3 * n + 4) / 5;
  return kept + 1 < n ? n - kept - 1 : 0;
}

double trimmed_mean(std::span<const double> values) {
  if (values.size() < 3) return mean(values);
  const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return (sum - *smallest - *largest) / static_cast<double>(values.size() - 2);
}

}  // namespace

SteadyState find_coarse_state(std::span<const double> values) {
  const std::size_t lead = spared(values.size());
  SteadyState state = find_steady_state(values.subspan(lead));
  if (lead == 0) return state;
  state.begin += lead;
  for (std::size_t& at : state.stalls) at += lead;
  for (std::size_t& at : state.cuts) at += lead;
  const double head = mean(values.first(state.begin));
  const double steady = median(values.subspan(state.begin));
  state.why =
      fmt::format("of {} long laps the last {} count; those before were on average {}",
                  values.size(), values.size() - state.begin, compare_with_rest(head, steady));
  return state;
}

SteadyMean coarse_mean(std::span<const double> values, const SteadyState& state) {
  SteadyMean result = steady_mean(values, state);
  const auto steady = values.subspan(std::min(state.begin, values.size()));
  if (steady.size() < 3) return result;
  Interval<double>& whole = result.whole;
  whole.mid = trimmed_mean(steady);
  whole.low = std::min(whole.low, whole.mid);
  whole.high = std::max(whole.high, whole.mid);
  return result;
}

}  // namespace lapcast
