#include "accuracy/phases.h"

#include <cmath>

#include "stats/summary.h"

namespace lapcast::accuracy {
namespace {

constexpr double kOther = 0.2;

bool differs(double pace, double usual) {
  return std::abs(pace / usual - 1) > kOther;
}

}  // namespace

std::vector<std::size_t> phase_starts(std::span<const double> paces) {
  std::vector<std::size_t> starts;
  if (!paces.empty()) starts.push_back(0);
  for (std::size_t i = 2; i < paces.size(); ++i) {
    const std::size_t settled = starts.back() + 1;  // its first row may belong to the warm-up
    if (i <= settled || !differs(paces[i], median(paces.subspan(settled, i - settled)))) continue;
    if (i + 1 == paces.size() || !differs(paces[i + 1], paces[i])) starts.push_back(i);
  }
  return starts;
}

}  // namespace lapcast::accuracy
