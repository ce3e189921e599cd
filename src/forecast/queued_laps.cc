#include "forecast/queued_laps.h"

#include <numeric>

namespace lapcast {
namespace {

void share_out(std::span<const Lap> laps, std::span<double> costs) {
  const double cost = std::accumulate(costs.begin(), costs.end(), 0.0);
  double samples = 0;
  for (const Lap& lap : laps) samples += lap.samples;
  for (std::size_t i = 0; i < laps.size(); ++i) {
    costs[i] =
        samples > 0 ? cost * laps[i].samples / samples : cost / static_cast<double>(laps.size());
  }
}

}  // namespace

void share_out_queued(std::span<const Lap> laps, std::span<double> costs) {
  std::size_t begin = 0;
  for (std::size_t i = 0; i < laps.size(); ++i) {
    if (laps[i].phase != laps[begin].phase) begin = i;
    if (!laps[i].finished) continue;
    if (i > begin)
      share_out(laps.subspan(begin, i + 1 - begin), costs.subspan(begin, i + 1 - begin));
    begin = i + 1;
    if (begin == laps.size()) break;
  }
}

std::size_t known_laps(std::span<const Lap> laps) {
  std::size_t known = laps.size();
  while (known > 0 && !laps[known - 1].finished) --known;
  return known > 0 ? known : laps.size();
}

}  // namespace lapcast
