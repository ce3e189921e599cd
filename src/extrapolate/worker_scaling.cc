#include "extrapolate/worker_scaling.h"

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>

#include "extrapolate/least_squares.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

/// Numbers the parameters; the laps of one worker follow, one for each kind of work.
enum ScalingParameter : std::size_t {
  kSyncInNode,
  kSyncAcross,
  kOverlap,
  kGrowthInNode,
  kGrowthAcross,
  kSeveral,
  kCrowding,
  kStragglers,
  kFixedShare,
  kOneWorker
};

constexpr double kAlone = 1 + 1e-3;  // up to here a number of workers or nodes is one
constexpr double kLapSd = 1.5;       // of the lap of one worker, about the shortest lap measured
constexpr std::size_t kDraws = 500;
constexpr std::uint64_t kSeed = 4;

double in_node_growth(std::span<const double> p, double workers) {
  return std::max(1 + p[kGrowthInNode] * std::log2(std::max(workers, 2.0) / 2), 0.3);
}

/// Returns ln of the exchange over the lap of one worker: across nodes it takes at least as long as
/// inside one of them.
double log_sync(std::span<const double> p, const Workers& workers) {
  const double inside = p[kSyncInNode] + std::log(in_node_growth(p, workers.in_node));
  if (workers.nodes <= kAlone) return inside;
  const double n = std::max(workers.all(), 2.0);
  const double across = p[kSyncAcross] + std::log(1 + std::exp(p[kGrowthAcross]) * (1 - 2 / n) +
                                                  0.03 * std::log2(n / 2));
  return workers.in_node > kAlone ? std::max(inside, across) : across;
}

/// Returns ln lap by the formula; `reference` is the lap of which a synchronisation is a share.
double log_lap(std::span<const double> p, double reference, const WorkerScaling::Asked& asked) {
  const Workers& workers = asked.workers;
  double compute =
      p[kOneWorker + asked.work] + p[kCrowding] * std::log2(std::max(workers.in_node, 1.0));
  if (workers.share < 1) {
    const double fixed = 1 / (1 + std::exp(-p[kFixedShare]));
    compute += std::log(fixed + (1 - fixed) * workers.share);
  }
  if (workers.all() <= kAlone) return compute;
  const double sync = reference + log_sync(p, workers);
  const double g = 1 + std::exp(p[kOverlap]), most = std::max(compute, sync);
  return most + std::log(std::exp(g * (compute - most)) + std::exp(g * (sync - most))) / g +
         p[kSeveral] + p[kStragglers] * std::log2(workers.all());
}

double median_of(std::vector<double> values) {
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

}  // namespace

void WorkerScaling::add_lap(std::size_t work, const Workers& workers, double log_seconds,
                            std::optional<double> noise) {
  laps_.push_back({work, workers});
  noise_.push_back(noise.value_or(prior_.lap_noise));
  log_seconds_.push_back(log_seconds);
  if (shortest_.size() <= work) shortest_.resize(work + 1, log_seconds);
  shortest_[work] = std::min(shortest_[work], log_seconds);
}

Gaussian WorkerScaling::fit() const {
  const WorkerScalingPrior& p = prior_;
  PriorProblem problem;
  for (const auto& [mean, sd] :
       {p.sync_in_node, p.sync_across, p.overlap, p.growth_in_node, p.growth_across, p.several,
        p.crowding, p.stragglers, p.fixed_share}) {
    problem.mean.push_back(mean);
    problem.sd.push_back(sd);
  }
  for (const double shortest : shortest_) {
    problem.mean.push_back(shortest);
    problem.sd.push_back(kLapSd);
  }
  problem.observed = log_seconds_;
  problem.noise = noise_;
  const double reference = median_of(shortest_);
  problem.model = [&](std::span<const double> parameters, std::span<double> forecast) {
    for (std::size_t i = 0; i < laps_.size(); ++i)
      forecast[i] = log_lap(parameters, reference, laps_[i]);
  };
  std::vector<std::vector<double>> starts(2, problem.mean);
  starts[1][kSyncInNode] += 1.5;
  starts[1][kSyncAcross] += 1.5;
  return fit_with_priors(problem, starts);
}

std::vector<double> WorkerScaling::draws(std::span<const Asked> asked, std::size_t count,
                                         std::uint64_t seed, double link_sd) const {
  const Gaussian known = fit();
  std::vector<double> parameters = lapcast::draws(known, count, seed);
  const double reference = median_of(shortest_);
  SeededNumbers random(seed + 1);
  std::vector<double> result;
  result.reserve(count * asked.size());
  for (std::size_t i = 0; i < count; ++i)
    for (const Asked& one : asked) {
      const std::span<double> p{parameters.data() + i * known.size(), known.size()};
      const double link = link_sd > 0 ? link_sd * random.normal() : 0;
      p[kSyncInNode] += link;
      p[kSyncAcross] += link;
      result.push_back(log_lap(p, reference, one) + prior_.forecast_noise * random.normal());
      p[kSyncInNode] -= link;
      p[kSyncAcross] -= link;
    }
  return result;
}

std::vector<Interval<double>> WorkerScaling::forecast(std::span<const Asked> asked) const {
  return intervals_of_draws(draws(asked, kDraws, kSeed), asked.size());
}

std::vector<double> WorkerScaling::spread_after(std::span<const Asked> probes,
                                                std::span<const Asked> asked) const {
  std::vector<Asked> all(asked.begin(), asked.end());
  all.insert(all.end(), probes.begin(), probes.end());
  const Eigen::Index n = static_cast<Eigen::Index>(asked.size());
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const std::vector<double> drawn = draws(all, kDraws, kSeed);
  RowMatrix cases = Eigen::Map<const RowMatrix>(drawn.data(), static_cast<Eigen::Index>(kDraws),
                                                static_cast<Eigen::Index>(all.size()));
  cases.rowwise() -= cases.colwise().mean().eval();
  const Eigen::MatrixXd c = cases.transpose() * cases / double(kDraws);
  std::vector<double> spreads;
  for (Eigen::Index p = n; p < c.rows(); ++p) {
    double sum = 0;
    for (Eigen::Index i = 0; i < n; ++i) {
      const bool is_probe = all[std::size_t(i)].workers == all[std::size_t(p)].workers;
      sum += is_probe ? prior_.lap_noise
                      : std::sqrt(std::max(0.0, c(i, i) - c(i, p) * c(i, p) / c(p, p)));
    }
    spreads.push_back(sum / double(n));
  }
  spreads.push_back(c.diagonal().head(n).cwiseMax(0.0).cwiseSqrt().mean());
  return spreads;
}

std::vector<Interval<double>> intervals_of_draws(const std::vector<double>& drawn,
                                                 std::size_t columns) {
  const std::size_t count = drawn.size() / columns;
  std::vector<Interval<double>> result;
  std::vector<double> column(count);
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t i = 0; i < count; ++i) column[i] = drawn[i * columns + c];
    std::ranges::sort(column);
    const auto at = [&](double p) { return column[std::size_t(p * double(count - 1) + .5)]; };
    result.push_back({at(.025), at(.5), at(.975)});
  }
  return result;
}

}  // namespace lapcast
