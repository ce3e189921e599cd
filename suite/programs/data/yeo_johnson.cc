#include "data/yeo_johnson.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>
#include <vector>

namespace lapcast::workloads {
namespace {

/// Returns (exp(lambda l) - 1) / lambda, or its limit l for lambda 0.
double power(double l, double lambda) {
  return lambda == 0 ? l : std::expm1(lambda * l) / lambda;
}

struct Moments {
  double mean;
  double variance;  // over n
};

Moments moments_of(std::span<const double> ys) {
  const auto n = static_cast<double>(ys.size());
  const double mean = std::accumulate(ys.begin(), ys.end(), 0.0) / n;
  double squares = 0;
  for (double y : ys) squares += (y - mean) * (y - mean);
  return {mean, squares / n};
}

/// Returns sign(x) log(|x| + 1).
double signed_log(double x) {
  return std::copysign(std::log1p(std::abs(x)), x);
}

/// Computes the likelihood of lambda; everything that does not depend on lambda is computed once.
class Likelihood {
 public:
  explicit Likelihood(std::span<const double> xs) : logs_(xs.size()), work_(xs.size()) {
    std::transform(xs.begin(), xs.end(), logs_.begin(), signed_log);
    mean_ = moments_of(logs_).mean;
    one_sided_ = std::all_of(logs_.begin(), logs_.end(), [](double l) { return l >= 0; });
  }

  double at(double lambda) const {
    const auto n = static_cast<double>(logs_.size());
    return n * (one_sided_ ? -0.5 * scaled_log_variance(lambda) - mean_
                           : -0.5 * log_variance(lambda) + (lambda - 1) * mean_);
  }

 private:
  double log_variance(double lambda) const {
    std::transform(logs_.begin(), logs_.end(), work_.begin(),
                   [=](double l) { return l >= 0 ? power(l, lambda) : -power(-l, 2 - lambda); });
    return std::log(moments_of(work_).variance);
  }

  /// For x >= 0 the transform is (exp(lambda l) - 1) / lambda with l = log(x + 1). Subtracting the
  /// mean of l first divides the deviation by exp(lambda mean), which the second term of the
  /// likelihood cancels. Otherwise large x with lambda < 0, all near -1 / lambda, would have no
  /// digits left.
  double scaled_log_variance(double lambda) const {
    std::transform(logs_.begin(), logs_.end(), work_.begin(),
                   [=, this](double l) { return power(l - mean_, lambda); });
    return std::log(moments_of(work_).variance);
  }

  std::vector<double> logs_;
  double mean_;
  bool one_sided_;
  mutable std::vector<double> work_;
};

/// Returns where f is greatest in [low, high] when it has a single maximum there (Kiefer 1953).
template <typename F>
double golden_section_maximum(F f, double low, double high, double tolerance) {
  constexpr double kRatio = std::numbers::phi - 1;
  double a = high - kRatio * (high - low), b = low + kRatio * (high - low);
  double fa = f(a), fb = f(b);
  while (high - low > tolerance) {
    if (fa > fb) {
      high = b, b = a, fb = fa;
      a = high - kRatio * (high - low);
      fa = f(a);
    } else {
      low = a, a = b, fa = fb;
      b = low + kRatio * (high - low);
      fb = f(b);
    }
  }
  return (low + high) / 2;
}

bool all_equal(std::span<const double> xs) {
  return std::all_of(xs.begin(), xs.end(), [&](double x) { return x == xs.front(); });
}

}  // namespace

double yeo_johnson(double x, double lambda) {
  return x >= 0 ? power(std::log1p(x), lambda) : -power(std::log1p(-x), 2 - lambda);
}

double yeo_johnson_log_likelihood(std::span<const double> xs, double lambda) {
  return Likelihood(xs).at(lambda);
}

double fit_yeo_johnson(std::span<const double> xs) {
  constexpr double kLow = -8, kHigh = 8, kTolerance = 1e-7;
  if (all_equal(xs)) return 1;
  const Likelihood likelihood(xs);
  return golden_section_maximum([&](double lambda) { return likelihood.at(lambda); }, kLow, kHigh,
                                kTolerance);
}

ColumnTransform fit_column(std::span<const double> xs) {
  ColumnTransform fitted;
  fitted.lambda = fit_yeo_johnson(xs);
  std::vector<double> ys(xs.size());
  std::transform(xs.begin(), xs.end(), ys.begin(),
                 [&](double x) { return yeo_johnson(x, fitted.lambda); });
  const Moments moments = moments_of(ys);
  if (!all_equal(ys)) fitted.deviation = std::sqrt(moments.variance);
  fitted.mean = moments.mean / fitted.deviation;
  return fitted;
}

}  // namespace lapcast::workloads
