#include "stats/intervals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "stats/distributions.h"
#include "stats/summary.h"

namespace lapcast {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kConfidence = 0.95;
// Above this the normal approximation of the binomial is exact to a rank.
constexpr std::size_t kManyValues = 1000;

Interval<double> too_few(std::span<const double> values) {
  if (values.empty()) return {kUnknown, kUnknown, kUnknown};
  return {-kInfinity, values[0], kInfinity};
}

/// Returns the interval between two of the sorted values, with `outside` values beyond each end.
Interval<double> between_ranks(std::span<const double> values, std::size_t outside) {
  std::vector<double> sorted(values.begin(), values.end());
  std::ranges::sort(sorted);
  return {sorted[outside], median(sorted), sorted[sorted.size() - 1 - outside]};
}

std::size_t ranks_outside(double n, double z, double inflation) {
  return static_cast<std::size_t>(
      std::max(0.0, std::floor((n - z * std::sqrt(n * inflation)) / 2)));
}

constexpr double kMixtureValues = 1;   // the normal mixture's variance, in values
constexpr double kEffectVariance = 9;  // of the t-test mixture's effect, in variances of a value

}  // namespace

Interval<double> t_interval(double mid, double standard_error, double df) {
  const double half = student_t_quantile(0.5 + kConfidence / 2, df) * standard_error;
  return {mid - half, mid, mid + half};
}

double spread_of_next(std::span<const double> values, double quantile) {
  const auto n = static_cast<double>(values.size());
  if (n < 2) return 0;
  return student_t_quantile(quantile, n - 1) * standard_deviation(values) * std::sqrt(1 + 1 / n);
}

Interval<double> mean_interval(std::span<const double> values) {
  if (values.size() < 2) return too_few(values);
  const double n = static_cast<double>(values.size());
  return t_interval(mean(values), standard_deviation(values) / std::sqrt(n), n - 1);
}

Interval<double> median_interval(std::span<const double> values) {
  if (values.size() < 2) return too_few(values);
  const std::size_t n = values.size();
  const double tail = (1 - kConfidence) / 2;
  if (n > kManyValues) {
    const double many = static_cast<double>(n);
    return between_ranks(values, ranks_outside(many, student_t_quantile(1 - tail, many), 1));
  }
  // Sums the probabilities that 0, 1, 2 ... of n values lie below the median.
  double probability = std::exp2(-static_cast<double>(n));
  double sum = probability;
  std::size_t covered = 0;
  while (sum <= tail) {
    probability *= static_cast<double>(n - covered) / static_cast<double>(covered + 1);
    sum += probability;
    ++covered;
  }
  return between_ranks(values, covered > 0 ? covered - 1 : 0);
}

Interval<double> median_interval_autocorrelated(std::span<const double> values,
                                                double effective_n) {
  const double n = static_cast<double>(values.size());
  if (values.size() < 2 || effective_n >= n) return median_interval(values);
  return between_ranks(values, ranks_outside(n, kZ95, n / std::max(1.0, effective_n)));
}

Interval<double> cut_to_range(const Interval<double>& interval, double lowest, double highest) {
  return {std::max(interval.low, std::min(lowest, interval.mid)), interval.mid,
          std::min(interval.high, std::max(highest, interval.mid))};
}

double relative_half_width(const Interval<double>& interval) {
  if (interval.mid == 0) return kUnknown;
  return (interval.high - interval.low) / 2 / std::abs(interval.mid);
}

Interval<double> few_values_interval(std::span<const double> values, double least_deviation) {
  if (values.empty()) return {};
  Interval<double> interval = mean_interval(values);
  if (values.size() < 5) {
    const double own = values.size() < 2 ? 0 : standard_deviation(values);
    const double deviation = std::max(own, least_deviation * std::abs(interval.mid));
    const double half = kZ95 * deviation / std::sqrt(static_cast<double>(values.size()));
    interval = {interval.mid - half, interval.mid, interval.mid + half};
  }
  interval.low = std::clamp(interval.low, std::min(0.0, interval.mid), interval.mid);
  return interval;
}

LogErrors& LogErrors::add(double below, double above) {
  below_ = std::hypot(below_, below);
  above_ = std::hypot(above_, above);
  return *this;
}

LogErrors& LogErrors::add_distances(double value, double below, double above) {
  constexpr double kMostBelow = 0.95;  // the logarithm diverges towards 1
  return add(-std::log1p(-std::min(kMostBelow, below / value)), std::log1p(above / value));
}

LogErrors& LogErrors::add(const Interval<Seconds>& interval) {
  return add_distances(interval.mid.count(), (interval.mid - interval.low).count(),
                       (interval.high - interval.mid).count());
}

Interval<Seconds> LogErrors::around(Seconds mid) const {
  return {mid * std::exp(-below_), mid, mid * std::exp(above_)};
}

Interval<Seconds> to_seconds(const Interval<double>& seconds) {
  return {Seconds{seconds.low}, Seconds{seconds.mid}, Seconds{seconds.high}};
}

Interval<Seconds> scaled(const Interval<Seconds>& interval, double factor) {
  return {interval.low * factor, interval.mid * factor, interval.high * factor};
}

Interval<Seconds> operator+(const Interval<Seconds>& a, const Interval<Seconds>& b) {
  return {a.low + b.low, a.mid + b.mid, a.high + b.high};
}

double anytime_z_factor(double n, double error) {
  if (!(n > 0)) return kInfinity;
  const double ratio = (n + kMixtureValues) / kMixtureValues;
  return std::sqrt((n + kMixtureValues) / n * std::log(ratio / (error * error)));
}

// The mixture's likelihood ratio at t is
//   (1 + n v)^(-1/2) ((1 + t^2 / f) / (1 + t^2 / (f (1 + n v))))^(n / 2)  with f = n - 1;
// by Ville's inequality it ever reaches 1 / error with probability at most error.
double anytime_t_factor(double n, double error) {
  if (!(n > 1)) return kInfinity;
  const double widened = 1 + n * kEffectVariance;
  const double limit = std::pow(widened / (error * error), 1 / n);
  if (limit >= widened) return kInfinity;
  return std::sqrt((n - 1) * (limit - 1) / (1 - limit / widened));
}

double anytime_half_width(double standard_error, double least_deviation, double n, double error) {
  const double cautious = std::max(standard_error, least_deviation / std::sqrt(n));
  const double by_prior = cautious * anytime_z_factor(n, error / 2);
  const double factor = anytime_t_factor(n, error / 2);
  return std::isfinite(factor) ? std::min(by_prior, standard_error * factor) : by_prior;
}

Repeats judge_repeats(std::span<const double> values, const RepeatRule& rule) {
  if (values.size() < std::max<std::size_t>(1, rule.at_least)) return Repeats::more;
  if (rule.at_least <= 1) return Repeats::enough;
  const Interval<double> interval = mean_interval(values);
  if (relative_half_width(interval) < rule.precision ||
      (interval.high - interval.low) / 2 <= rule.resolution)
    return Repeats::enough;
  return values.size() < rule.at_most() ? Repeats::more : Repeats::not_precise;
}

std::size_t expected_runs(std::span<const double> values, const RepeatRule& rule) {
  if (values.size() < rule.at_least) return std::max<std::size_t>(1, rule.at_least);
  if (judge_repeats(values, rule) != Repeats::more) return values.size();
  // The half-width falls with the root of the number of runs.
  const double width = relative_half_width(mean_interval(values)) / rule.precision;
  const double needed = std::ceil(static_cast<double>(values.size()) * width * width);
  const double most = static_cast<double>(rule.at_most());
  return std::max(values.size() + 1, static_cast<std::size_t>(std::fmin(needed, most)));
}

}  // namespace lapcast
