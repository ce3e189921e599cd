#include "extrapolate/gaussian.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "stats/distributions.h"

namespace lapcast {
namespace {

double mixture_quantile(NormalPart a, NormalPart b, double share, double p) {
  double low = std::min(a.mean - 8 * a.sd, b.mean - 8 * b.sd);
  double high = std::max(a.mean + 8 * a.sd, b.mean + 8 * b.sd);
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    const double below = (1 - share) * normal_cdf((middle - a.mean) / a.sd) +
                         share * normal_cdf((middle - b.mean) / b.sd);
    (below < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

}  // namespace

Gaussian selected(const Gaussian& known, std::span<const std::size_t> places) {
  Gaussian part;
  for (const std::size_t i : places) {
    part.mean.push_back(known.mean[i]);
    for (const std::size_t j : places) part.covariance.push_back(known.cov(i, j));
  }
  return part;
}

Gaussian first_of(const Gaussian& known, std::size_t count) {
  std::vector<std::size_t> places(count);
  std::iota(places.begin(), places.end(), std::size_t{0});
  return selected(known, places);
}

void condition(Gaussian& known, std::size_t place, double value, double noise) {
  const std::size_t n = known.size();
  const double total = known.cov(place, place) + noise * noise;
  if (!(total > 0)) return;
  std::vector<double> row(n);
  for (std::size_t i = 0; i < n; ++i) row[i] = known.cov(place, i);
  const double off = value - known.mean[place];
  for (std::size_t i = 0; i < n; ++i) {
    known.mean[i] += row[i] / total * off;
    for (std::size_t j = 0; j < n; ++j) known.cov(i, j) -= row[i] * row[j] / total;
  }
}

std::vector<double> draws(const Gaussian& known, std::size_t count, std::uint64_t seed) {
  const auto n = static_cast<Eigen::Index>(known.size());
  using RowMatrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  RowMatrix c = Eigen::Map<const RowMatrix>(known.covariance.data(), n, n);
  c = (c + c.transpose().eval()) / 2;
  c.diagonal().array() += 1e-9 + 1e-12 * c.diagonal().cwiseAbs().maxCoeff();
  const Eigen::LDLT<Eigen::MatrixXd> root(c);
  Eigen::MatrixXd factor = root.matrixL();
  factor = root.transpositionsP().transpose() * factor;
  factor = factor * root.vectorD().cwiseMax(0.0).cwiseSqrt().asDiagonal();
  SeededNumbers random(seed);
  RowMatrix normal(static_cast<Eigen::Index>(count), n);
  for (Eigen::Index i = 0; i < normal.size(); ++i) normal.data()[i] = random.normal();
  RowMatrix drawn = normal * factor.transpose();
  drawn.rowwise() += Eigen::Map<const Eigen::RowVectorXd>(known.mean.data(), n);
  return {drawn.data(), drawn.data() + drawn.size()};
}

Interval<double> mixture_interval(NormalPart first, NormalPart second, double share) {
  first.sd = std::max(first.sd, 1e-9);
  second.sd = std::max(second.sd, 1e-9);
  if (share <= 0) return {first.mean - kZ95 * first.sd, first.mean, first.mean + kZ95 * first.sd};
  return {mixture_quantile(first, second, share, 0.025),
          mixture_quantile(first, second, share, 0.5),
          mixture_quantile(first, second, share, 0.975)};
}

}  // namespace lapcast
