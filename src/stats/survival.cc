#include "stats/survival.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Returns the interval; `greenwood` is the sum of d / (n (n - d)) so far.
Interval<double> survival_interval(double survival, double greenwood) {
  if (survival >= 1) return Interval<double>::exactly(1);
  const double half_width = kZ95 * std::sqrt(greenwood) / std::abs(std::log(survival));
  return {std::pow(survival, std::exp(half_width)), survival,
          std::pow(survival, std::exp(-half_width))};
}

/// Returns the first time at which that end of the survival interval is at most 1/2.
double first_half(std::span<const SurvivalStep> steps, double Interval<double>::*end) {
  const auto half = std::find_if(steps.begin(), steps.end(), [&](const SurvivalStep& step) {
    return step.survival.*end <= 0.5;
  });
  return half == steps.end() ? std::numeric_limits<double>::infinity() : half->time;
}

}  // namespace

std::vector<SurvivalStep> survival(std::span<const Lifetime> lifetimes) {
  std::vector<Lifetime> sorted(lifetimes.begin(), lifetimes.end());
  std::sort(sorted.begin(), sorted.end(),
            [](const Lifetime& a, const Lifetime& b) { return a.time < b.time; });
  std::vector<SurvivalStep> steps;
  double left = 1;
  double greenwood = 0;
  double upper = 1;
  for (std::size_t i = 0; i < sorted.size();) {
    const std::size_t at_risk = sorted.size() - i;
    std::size_t ended = 0;
    const double time = sorted[i].time;
    for (; i < sorted.size() && sorted[i].time == time; ++i) ended += sorted[i].ended ? 1 : 0;
    if (ended == 0) continue;
    const auto n = static_cast<double>(at_risk);
    const auto d = static_cast<double>(ended);
    left *= 1 - d / n;
    if (ended == at_risk) {
      steps.push_back({time, at_risk, ended, {0, 0, upper}});
      break;
    }
    greenwood += d / (n * (n - d));
    steps.push_back({time, at_risk, ended, survival_interval(left, greenwood)});
    upper = steps.back().survival.high;
  }
  return steps;
}

Interval<double> median_lifetime(std::span<const SurvivalStep> steps) {
  return {first_half(steps, &Interval<double>::low), first_half(steps, &Interval<double>::mid),
          first_half(steps, &Interval<double>::high)};
}

}  // namespace lapcast
