#include "stats/speed_model.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <numbers>
#include <optional>
#include <utility>

#include "stats/distributions.h"

namespace lapcast {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::array<double, 3> kQuickSeconds{2, 10, 50};  // time constants
constexpr double kSlowSeconds = 600;
constexpr std::array<double, 7> kQuick{0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.32};
constexpr std::array<double, 6> kSlow{0.015, 0.03, 0.06, 0.12, 0.25, 0.5};
constexpr std::array<double, 4> kStart{0.005, 0.02, 0.05, 0.1};
constexpr std::array<double, 2> kShared{0.3, 0.9};
constexpr double kShortest = 1e-3;      // seconds of a slice
constexpr double kImpossible = -1e300;  // logarithm of a likelihood that cannot be computed
constexpr double kKeptWeight = 0.99;    // of the parts of a mixture together
constexpr double kLeastError = 1e-3;    // of a slice: ln(time) is not known better

/// Describes one point of the grid.
struct Wander {
  double slow;  // standard deviations of ln(time)
  double quick;
  double start;
  double shared;         // share of the quick variance that all candidates have in common
  std::size_t constant;  // index into kQuickSeconds

  /// Returns the variance of ln(time) of runs of that many seconds.
  double of_run(double seconds) const;
};

/// Returns the second integral of exp(-|t| / constant), 0 at 0.
double twice_integrated(double t, double constant) {
  const double x = std::abs(t) / constant;
  return constant * constant * (std::expm1(-x) + x);
}

/// Returns the mean correlation of a process in two stretches of time.
double correlation_between(double constant, double begin_a, double end_a, double begin_b,
                           double end_b) {
  end_a = std::max(end_a, begin_a + kShortest);
  end_b = std::max(end_b, begin_b + kShortest);
  const double length_a = end_a - begin_a;
  const double length_b = end_b - begin_b;
  // For distant stretches, the formula below would subtract large numbers.
  if (const double gap = std::max(begin_b - end_a, begin_a - end_b); gap >= 0)
    return std::exp(-gap / constant) * std::expm1(-length_a / constant) *
           std::expm1(-length_b / constant) * constant * constant / (length_a * length_b);
  const auto at = [&](double t) { return twice_integrated(t, constant); };
  return (at(end_a - begin_b) - at(end_a - end_b) - at(begin_a - begin_b) + at(begin_a - end_b)) /
         (length_a * length_b);
}

double Wander::of_run(double seconds) const {
  const auto variance = [&](double deviation, double time_constant) {
    return deviation * deviation * correlation_between(time_constant, 0, seconds, 0, seconds);
  };
  return variance(quick, kQuickSeconds[constant]) + variance(slow, kSlowSeconds) + start * start;
}

/// Returns all points, those with little slow wandering first, so that the draws of several groups
/// go through it in step.
const std::vector<Wander>& grid() {
  static const std::vector<Wander> points = [] {
    std::vector<Wander> all;
    for (const double slow : kSlow)
      for (const double quick : kQuick)
        for (const double start : kStart)
          for (const double shared : kShared)
            for (std::size_t constant = 0; constant < kQuickSeconds.size(); ++constant)
              all.push_back({slow, quick, start, shared, constant});
    return all;
  }();
  return points;
}

double log_normal_density(double value, double median, double spread) {
  const double z = std::log(value / median) / spread;
  return -z * z / 2;
}

std::size_t candidates_in(std::span<const SpeedSlice> group) {
  std::size_t count = 0;
  for (const SpeedSlice& slice : group) count = std::max(count, slice.candidate + 1);
  return count;
}

/// Holds the components of the covariance of a group's slices.
struct Group {
  explicit Group(std::span<const SpeedSlice> slices);
  MatrixXd covariance(const Wander& wander) const;

  VectorXd values;
  MatrixXd design;          // 1 where a slice (row) belongs to a candidate (column)
  MatrixXd same_candidate;  // 1 where two slices are of one candidate; same_start likewise
  MatrixXd same_start;
  VectorXd variance;                                 // from the laps within a slice
  std::array<MatrixXd, kQuickSeconds.size()> quick;  // correlations
  MatrixXd slow;
};

Group::Group(std::span<const SpeedSlice> slices) {
  const auto n = static_cast<Eigen::Index>(slices.size());
  values.resize(n);
  variance.resize(n);
  slow.resize(n, n);
  design = MatrixXd::Zero(n, static_cast<Eigen::Index>(candidates_in(slices)));
  same_start = MatrixXd::Zero(n, n);
  for (MatrixXd& each : quick) each.resize(n, n);
  for (Eigen::Index i = 0; i < n; ++i) {
    const SpeedSlice& a = slices[static_cast<std::size_t>(i)];
    values(i) = a.log_lap;
    variance(i) = std::pow(std::max(a.error, kLeastError), 2);
    design(i, static_cast<Eigen::Index>(a.candidate)) = 1;
    for (Eigen::Index j = 0; j <= i; ++j) {
      const SpeedSlice& b = slices[static_cast<std::size_t>(j)];
      const auto correlation = [&](double constant) {
        return correlation_between(constant, a.begin_s, a.end_s, b.begin_s, b.end_s);
      };
      if (a.start == b.start) same_start(i, j) = same_start(j, i) = 1;
      slow(i, j) = slow(j, i) = correlation(kSlowSeconds);
      for (std::size_t c = 0; c < kQuickSeconds.size(); ++c)
        quick[c](i, j) = quick[c](j, i) = correlation(kQuickSeconds[c]);
    }
  }
  same_candidate = design * design.transpose();
}

MatrixXd Group::covariance(const Wander& wander) const {
  MatrixXd sum = wander.quick * wander.quick * quick[wander.constant];
  sum.array() *= wander.shared + (1 - wander.shared) * same_candidate.array();
  sum += wander.start * wander.start * same_start + wander.slow * wander.slow * slow;
  sum.diagonal() += variance;
  return sum;
}

/// Fits a group at one point of the grid by generalised least squares.
class Fit {
 public:
  Fit(const Group& group, const Wander& wander)
      : root_(group.covariance(wander)),
        white_design_(root_.matrixL().solve(group.design)),
        white_(root_.matrixL().solve(group.values)),
        information_(white_design_.transpose() * white_design_),
        mean_(information_.solve(white_design_.transpose() * white_)) {}

  const VectorXd& mean() const { return mean_; }
  MatrixXd covariance() const {
    return information_.solve(MatrixXd::Identity(mean_.size(), mean_.size()));
  }
  /// Returns the weights of the values in the mean: mean = weights * values.
  MatrixXd weights() const {
    return information_.solve(root_.matrixU().solve(white_design_).transpose());
  }
  /// Returns the logarithm of the restricted likelihood.
  double log_likelihood() const {
    if (root_.info() != Eigen::Success || information_.info() != Eigen::Success) return kImpossible;
    const double residual = (white_ - white_design_ * mean_).squaredNorm();
    return -(residual + log_determinant(root_) + log_determinant(information_)) / 2;
  }

 private:
  using Root = Eigen::LLT<MatrixXd>;
  static double log_determinant(const Root& of) {
    return 2 * of.matrixLLT().diagonal().array().log().sum();
  }

  Root root_;
  MatrixXd white_design_;
  VectorXd white_;
  Root information_;
  VectorXd mean_;
};

std::vector<double> normalised(const std::vector<double>& logs) {
  const double largest = *std::ranges::max_element(logs);
  std::vector<double> weights;
  double sum = 0;
  for (const double value : logs) sum += weights.emplace_back(std::exp(value - largest));
  for (double& weight : weights) weight /= sum;
  return weights;
}

/// Returns the smallest of the largest weights that together sum to `share`.
double least_of_largest(std::vector<double> weights, double share) {
  std::ranges::sort(weights, std::ranges::greater());
  std::size_t kept = 0;
  for (double sum = weights[0]; sum < share && kept + 1 < weights.size();) sum += weights[++kept];
  return weights[kept];
}

std::vector<double> values_of(const VectorXd& vector) {
  return {vector.data(), vector.data() + vector.size()};
}

std::vector<double> rows_of(const MatrixXd& matrix) {
  std::vector<double> values;
  for (Eigen::Index i = 0; i < matrix.rows(); ++i)
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) values.push_back(matrix(i, j));
  return values;
}

}  // namespace

SpeedModel::SpeedModel(const WanderPrior& prior) {
  for (const Wander& wander : grid())
    log_weights_.push_back(log_normal_density(wander.quick, prior.quick, prior.doubt) +
                           log_normal_density(wander.slow, prior.slow, prior.slow_doubt) +
                           log_normal_density(wander.start, prior.start, prior.doubt));
}

SpeedModel::Evidence SpeedModel::evidence_of(std::span<const SpeedSlice> group) {
  group = group.first(std::min(group.size(), kMostSlices));
  if (group.size() <= candidates_in(group)) return {};
  const Group known(group);
  Evidence evidence;
  for (const Wander& wander : grid()) evidence.push_back(Fit(known, wander).log_likelihood());
  return evidence;
}

void SpeedModel::learn(const Evidence& group, double share) {
  for (std::size_t i = 0; i < group.size(); ++i) log_weights_[i] += share * group[i];
}

SpeedEstimates SpeedModel::estimate(std::span<const SpeedSlice> group) const {
  const std::vector<double> weights = normalised(log_weights_);
  const double least = least_of_largest(weights, kKeptWeight);
  const Group known(group);
  SpeedEstimates estimates;
  double kept = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    if (weights[i] < least) continue;
    const Fit fit(known, grid()[i]);
    const MatrixXd covariance = fit.covariance();
    const MatrixXd weights_of_slices = fit.weights();
    const MatrixXd slow = std::pow(grid()[i].slow, 2) *
                          (weights_of_slices * known.slow * weights_of_slices.transpose());
    const MatrixXd root = (covariance - slow).llt().matrixL();
    estimates.parts_.push_back({weights[i], values_of(fit.mean()), values_of(covariance.diagonal()),
                                values_of(slow.diagonal().cwiseMax(0).cwiseSqrt()), rows_of(root),
                                i});
    kept += weights[i];
  }
  for (SpeedEstimates::Part& part : estimates.parts_) part.weight /= kept;
  return estimates;
}

double SpeedEstimates::quantile(double p, std::size_t candidate, double run_seconds) const {
  struct Normal {
    double weight, mean, deviation;
  };
  std::vector<Normal> normals;
  double low = INFINITY, high = -INFINITY;
  for (const Part& part : parts_) {
    double variance = part.variance[candidate];
    if (run_seconds > 0) variance += grid()[part.wander].of_run(run_seconds);
    const Normal normal{part.weight, part.mean[candidate], std::sqrt(variance)};
    low = std::min(low, normal.mean - 8 * normal.deviation);
    high = std::max(high, normal.mean + 8 * normal.deviation);
    normals.push_back(normal);
  }
  // Takes Newton's steps, and bisects where one leaves the bracket.
  double at = (low + high) / 2;
  for (int step = 0; step < 60; ++step) {
    double below = 0, density = 0;
    for (const auto& [weight, mean, deviation] : normals) {
      const double z = (at - mean) / deviation;
      below += weight * normal_cdf(z);
      density += weight * std::exp(-z * z / 2) / (deviation * std::sqrt(2 * std::numbers::pi));
    }
    (below < p ? low : high) = at;
    const double next = at - (below - p) / density;
    const bool is_inside = next >= low && next <= high;
    if (is_inside && std::abs(next - at) < 1e-14) return next;
    at = is_inside ? next : (low + high) / 2;
  }
  return at;
}

Interval<double> SpeedEstimates::quantiles(std::size_t candidate, double run_seconds) const {
  const auto at = [&](double p) { return quantile(p, candidate, run_seconds); };
  return {at(0.025), at(0.5), at(0.975)};
}

double SpeedEstimates::median_of(std::size_t candidate) const {
  return quantile(0.5, candidate, 0);
}

Interval<double> SpeedEstimates::mean_of(std::size_t candidate) const {
  return quantiles(candidate, 0);
}

Interval<double> SpeedEstimates::run_of(std::size_t candidate, double seconds) const {
  return quantiles(candidate, std::max(seconds, kShortest));
}

double SpeedEstimates::spread_of_runs(double seconds) const {
  double variance = 0;
  for (const Part& part : parts_) variance += part.weight * grid()[part.wander].of_run(seconds);
  return std::sqrt(variance);
}

std::vector<std::vector<double>> SpeedEstimates::draws(std::size_t count, std::uint64_t seed,
                                                       std::uint64_t seed_of_machine) const {
  SeededNumbers numbers(seed);
  SeededNumbers numbers_of_machine(seed_of_machine);
  std::vector<std::vector<double>> result;
  std::size_t part = 0;
  double until = parts_.front().weight;
  for (std::size_t draw = 0; draw < count; ++draw) {
    // Each part gets draws in proportion to its weight, exact to one draw.
    const double at = (static_cast<double>(draw) + 0.5) / static_cast<double>(count);
    while (at > until && part + 1 < parts_.size()) until += parts_[++part].weight;
    const Part& from = parts_[part];
    const std::size_t size = from.mean.size();
    const double slow = numbers_of_machine.normal();
    std::vector<double> normals(size);
    for (double& normal : normals) normal = numbers.normal();
    std::vector<double> values = from.mean;
    for (std::size_t i = 0; i < size; ++i) {
      values[i] += from.slow[i] * slow;
      for (std::size_t j = 0; j <= i; ++j) values[i] += from.root[i * size + j] * normals[j];
    }
    result.push_back(std::move(values));
  }
  return result;
}

}  // namespace lapcast
