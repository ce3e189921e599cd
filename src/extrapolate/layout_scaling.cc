#include "extrapolate/layout_scaling.h"

#include <cmath>
#include <cstdint>

#include "extrapolate/least_squares.h"
#include "extrapolate/worker_scaling.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Numbers the parameters: logarithms, those after the first relative to it.
enum LayoutParameter {
  kCompute,
  kOverhead,
  kTensor,
  kData,
  kUpdate,
  kStage,
  kLatency,
  kLayoutSize
};
constexpr double kLayoutMean[] = {0, -1, -2.5, -1, -1, -2.5, -2.5};
constexpr double kLayoutSd[] = {5, 1.5, 1, 2, 2, 1.5, 1.5};
constexpr double kLayoutNoise = 0.06;
constexpr double kOtherLayoutNoise = 0.078;  // of what is forecast: 0.06 and 0.05 together
constexpr double kAcrossNodes = 4;           // tensor parallel exchange among more than 8
constexpr std::size_t kLayoutDraws = 300;

double log_lap_of(std::span<const double> p, const Layout& l) {
  const auto cost = [&](LayoutParameter which) { return std::exp(p[kCompute] + p[which]); };
  const double steps = l.micro_batches + l.pipeline - 1;
  double layer = std::hypot(l.micro_batch * std::exp(p[kCompute]) / l.tensor, cost(kOverhead));
  if (l.tensor > 1)
    layer += l.micro_batch * cost(kTensor) * (l.tensor - 1) / l.tensor *
                 (l.tensor > 8 ? kAcrossNodes : 1) +
             cost(kLatency);
  double lap = steps * l.layers / l.pipeline * layer;
  lap += l.layers / (l.tensor * l.pipeline) *
         (cost(kData) * 2 * (l.data - 1) / l.data + cost(kUpdate));
  if (l.pipeline > 1) lap += steps * l.micro_batch * cost(kStage);
  return std::log(lap);
}

}  // namespace

std::vector<Interval<double>> forecast_layouts(std::span<const Layout> measured,
                                               std::span<const double> log_seconds,
                                               std::span<const Layout> asked) {
  PriorProblem problem{{std::begin(kLayoutMean), std::end(kLayoutMean)},
                       {std::begin(kLayoutSd), std::end(kLayoutSd)},
                       {log_seconds.begin(), log_seconds.end()},
                       std::vector<double>(measured.size(), kLayoutNoise),
                       {}};
  problem.model = [&](std::span<const double> p, std::span<double> forecast) {
    for (std::size_t i = 0; i < measured.size(); ++i) forecast[i] = log_lap_of(p, measured[i]);
  };
  const auto level = [&](const std::vector<double>& parameters) {
    double sum = 0;
    for (std::size_t i = 0; i < measured.size(); ++i)
      sum += log_seconds[i] - log_lap_of(parameters, measured[i]);
    return sum / double(measured.size());
  };
  problem.mean[kCompute] += level(problem.mean);
  std::vector<std::vector<double>> starts(3, problem.mean);
  starts[1][kOverhead] += 1.5;
  starts[2][kOverhead] -= 1.5;
  for (auto& start : starts) start[kCompute] += level(start);
  const Gaussian known = fit_with_priors(problem, starts);
  const std::vector<double> parameters = draws(known, kLayoutDraws, 7);
  SeededNumbers random(8);
  std::vector<double> result;
  result.reserve(kLayoutDraws * asked.size());
  for (std::size_t i = 0; i < kLayoutDraws; ++i)
    for (const Layout& one : asked)
      result.push_back(log_lap_of({parameters.data() + i * kLayoutSize, kLayoutSize}, one) +
                       kOtherLayoutNoise * random.normal());
  return intervals_of_draws(result, asked.size());
}

}  // namespace lapcast
