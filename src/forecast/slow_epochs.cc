#include "forecast/slow_epochs.h"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "stats/blocks.h"
#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kLeastSlow = 0.03;
constexpr double kSure = 0.99;
constexpr std::size_t kLeastLater = 2;
constexpr std::size_t kEnoughLaps = 256;  // of an epoch, for its median

/// One epoch: its median full lap, and the laps of the run until its end.
struct EpochLevel {
  double lap = 0;
  std::size_t end = 0;
};

std::vector<EpochLevel> levels_of(const Series& series) {
  std::vector<EpochLevel> levels;
  const auto& index = series.full.index;
  auto next = index.begin();
  for (const EpochSpan& epoch : series.log.epochs) {
    const auto end = static_cast<std::size_t>(epoch.first_lap + epoch.laps);
    if (!epoch.ended || end > series.log.laps.size()) break;
    const auto begin = std::exchange(next, std::lower_bound(next, index.end(), end));
    if (begin == next) continue;
    const auto laps = std::span(series.full.seconds)
                          .subspan(static_cast<std::size_t>(begin - index.begin()),
                                   static_cast<std::size_t>(next - begin));
    levels.push_back({median(thinned(laps, kEnoughLaps)), end});
  }
  return levels;
}

// Above it a value is none of `later`.
double highest_usual(std::span<const double> later) {
  const double n = static_cast<double>(later.size());
  const double error = standard_deviation(later) * std::sqrt(1 + 1 / n);
  const double centre = median(later);
  return std::max(centre * (1 + kLeastSlow),
                  mean(later) + student_t_quantile(kSure, n - 1) * error);
}

}  // namespace

SlowEpochs slow_first_epochs(const Series& series) {
  const std::vector<EpochLevel> epochs = levels_of(series);
  SlowEpochs slow;
  if (epochs.size() <= kLeastLater) return slow;
  std::vector<double> laps;
  for (const EpochLevel& epoch : epochs) laps.push_back(epoch.lap);
  const std::size_t half = std::min(epochs.size() / 2, epochs.size() - kLeastLater);
  const auto later = std::span(laps).subspan(half);
  const double limit = highest_usual(later);
  std::size_t count = 0;
  while (count < half && laps[count] > limit) ++count;
  if (count == 0 || !(median(later) > 0)) return slow;
  slow.laps = epochs[count - 1].end;
  for (std::size_t i = 0; i < count; ++i) slow.ratios.push_back(laps[i] / median(later));
  return slow;
}

}  // namespace lapcast
