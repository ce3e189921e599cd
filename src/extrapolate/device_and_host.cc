#include "extrapolate/device_and_host.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <Eigen/LU>

#include <algorithm>
#include <cmath>
#include <utility>

#include "stats/distributions.h"

namespace lapcast {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index kOwn = 3;  // ln O, ln c, ln f, before ln r and ln k of each machine
constexpr double kWideSd = 8;

/// Holds a lap by the formula, and how much of it is the device's.
struct Parts {
  double log_lap = 0;
  double device = 0;      // share of the squares
  double log_device = 0;  // ln of the device's time
  double fixed = 0;       // share of the fixed work in the device's
};

Parts parts_of(double host, double per_item, double log_fixed, double r, double k, double batch) {
  const double log_items = std::log(batch + std::exp(log_fixed));
  const double a = host + k, b = per_item + log_items + r;
  const double most = std::max(a, b);
  const double ea = std::exp(2 * (a - most)), eb = std::exp(2 * (b - most));
  return {most + std::log(ea + eb) / 2, eb / (ea + eb), b, std::exp(log_fixed - log_items)};
}

}  // namespace

struct DeviceAndHostMode {
  VectorXd at;
  double cost = 0;
  MatrixXd covariance;
  double weight = 0;
};

/// Fits the parameters of the machines that were observed.
class DeviceAndHostFit {
 public:
  explicit DeviceAndHostFit(const DeviceAndHost& model) : model_(model) {
    for (const auto& o : model.observed_)
      if (std::ranges::find(machines_, o.machine) == machines_.end())
        machines_.push_back(o.machine);
    const auto n = static_cast<Index>(machines_.size());
    mean_ = VectorXd::Zero(kOwn + 2 * n);
    MatrixXd c = MatrixXd::Zero(kOwn + 2 * n, kOwn + 2 * n);
    const DeviceAndHostPrior& p = model.prior_;
    mean_(0) = p.host_mean;
    mean_(2) = p.fixed_mean;
    c.diagonal().head(kOwn) << p.host_sd * p.host_sd, kWideSd * kWideSd, p.fixed_sd * p.fixed_sd;
    for (Index i = 0; i < n; ++i) {
      mean_(kOwn + i) = model.relative_.mean[machines_[std::size_t(i)]];
      for (Index j = 0; j < n; ++j)
        c(kOwn + i, kOwn + j) =
            model.relative_.cov(machines_[std::size_t(i)], machines_[std::size_t(j)]);
      c(kOwn + i, kOwn + i) += 1e-8;
      c(kOwn + n + i, kOwn + n + i) = p.host_speed_sd * p.host_speed_sd;
    }
    precision_ = c.inverse();
  }

  std::vector<DeviceAndHostMode> modes() {
    std::vector<DeviceAndHostMode> found;
    for (int start = 0; start < 3; ++start) {
      DeviceAndHostMode mode = descend(begin(start));
      const auto same = [&](const DeviceAndHostMode& other) {
        return (mode.at.head(kOwn) - other.at.head(kOwn)).cwiseAbs().maxCoeff() <= 0.3;
      };
      if (std::ranges::none_of(found, same)) found.push_back(std::move(mode));
    }
    double best = -1e300;
    for (DeviceAndHostMode& mode : found) {
      const Eigen::LDLT<MatrixXd> root(mode.covariance);
      mode.weight = -mode.cost + root.vectorD().cwiseMax(1e-300).array().log().sum() / 2;
      best = std::max(best, mode.weight);
    }
    double sum = 0;
    for (DeviceAndHostMode& mode : found) sum += mode.weight = std::exp(mode.weight - best);
    for (DeviceAndHostMode& mode : found) mode.weight /= sum;
    return found;
  }

  const std::vector<std::size_t>& machines() const { return machines_; }

 private:
  Index place(std::size_t machine) const {
    return std::ranges::find(machines_, machine) - machines_.begin();
  }

  Parts at(const VectorXd& theta, const DeviceAndHost::Observation& o) const {
    const Index m = place(o.machine), n = static_cast<Index>(machines_.size());
    return parts_of(theta(0), theta(1), theta(2), theta(kOwn + m), theta(kOwn + n + m), o.batch);
  }

  /// Returns a start: the host, the device or the fixed device work decides the shortest lap.
  VectorXd begin(int start) const {
    VectorXd theta = mean_;
    const DeviceAndHost::Observation* first = nullptr;
    double least = 1e300;
    for (const auto& o : model_.observed_) {
      if (o.is_busy) continue;
      if (first == nullptr) first = &o;
      least = std::min(least, o.log_seconds);
    }
    theta(0) = least - (start == 0 ? 3 : start == 1 ? .05 : 2);
    if (start == 2) theta(2) = std::log(first->batch * 2);
    theta(1) = first->log_seconds - (start == 1 ? 1.5 : 0) -
               std::log(first->batch + std::exp(theta(2))) - theta(kOwn + place(first->machine));
    return theta;
  }

  double cost(const VectorXd& theta) const {
    double sum = (theta - mean_).dot(precision_ * (theta - mean_)) / 2;
    for (const auto& o : model_.observed_) {
      const Parts parts = at(theta, o);
      const double off = o.is_busy ? (o.log_seconds - parts.log_device) / model_.prior_.busy_noise
                                   : (o.log_seconds - parts.log_lap) / model_.prior_.lap_noise;
      sum += off * off / 2;
    }
    return sum;
  }

  /// Returns the matrix of the normal equations and its right side.
  std::pair<MatrixXd, VectorXd> equations(const VectorXd& theta) const {
    const Index n = static_cast<Index>(machines_.size());
    MatrixXd a = precision_;
    VectorXd g = -precision_ * (theta - mean_);
    for (const auto& o : model_.observed_) {
      const Parts parts = at(theta, o);
      const Index m = place(o.machine);
      VectorXd slope = VectorXd::Zero(theta.size());
      const double device = o.is_busy ? 1 : parts.device;
      slope(1) = slope(kOwn + m) = device;
      slope(2) = device * parts.fixed;
      slope(0) = slope(kOwn + n + m) = 1 - device;
      const double noise = o.is_busy ? model_.prior_.busy_noise : model_.prior_.lap_noise;
      const double off = o.log_seconds - (o.is_busy ? parts.log_device : parts.log_lap);
      a += slope * slope.transpose() / (noise * noise);
      g += slope * off / (noise * noise);
    }
    return {a, g};
  }

  DeviceAndHostMode descend(VectorXd theta) const {
    double now = cost(theta), damping = 1e-3;
    for (int round = 0; round < 40; ++round) {
      const auto [a, g] = equations(theta);
      bool done = true;
      for (int attempt = 0; attempt < 8; ++attempt) {
        MatrixXd damped = a;
        damped.diagonal() *= 1 + damping;
        const VectorXd next = theta + damped.ldlt().solve(g);
        const double then = cost(next);
        if (then <= now) {
          theta = next;
          done = now - then < 1e-6;
          now = then;
          damping = std::max(damping / 5, 1e-9);
          break;
        }
        damping *= 8;
      }
      if (done) break;
    }
    return {theta, now, equations(theta).first.inverse(), 0};
  }

  const DeviceAndHost& model_;
  std::vector<std::size_t> machines_;
  VectorXd mean_;
  MatrixXd precision_;
};

void DeviceAndHost::add_lap(std::size_t machine, double batch, double log_seconds) {
  observed_.push_back({false, machine, batch, log_seconds});
}

void DeviceAndHost::add_busy(std::size_t machine, double batch, double log_seconds) {
  observed_.push_back({true, machine, batch, log_seconds});
}

namespace {

/// Draws the parameters of a fit: a mode by its weight, then its normal approximation.
class DrawnParameters {
 public:
  DrawnParameters(const std::vector<DeviceAndHostMode>& modes, SeededNumbers& random)
      : modes_(modes), random_(random) {
    for (const DeviceAndHostMode& mode : modes) {
      MatrixXd c = (mode.covariance + mode.covariance.transpose()) / 2;
      c.diagonal().array() += 1e-12;
      roots_.push_back(c.llt().matrixL());
    }
  }

  VectorXd next() {
    double chance = random_.uniform();
    std::size_t m = 0;
    while (m + 1 < modes_.size() && chance > modes_[m].weight) chance -= modes_[m++].weight;
    VectorXd normal(modes_[m].at.size());
    for (Index i = 0; i < normal.size(); ++i) normal(i) = random_.normal();
    return modes_[m].at + roots_[m] * normal;
  }

 private:
  const std::vector<DeviceAndHostMode>& modes_;
  SeededNumbers& random_;
  std::vector<MatrixXd> roots_;
};

/// Holds how all devices follow those that were observed, and what they keep for themselves.
struct Devices {
  MatrixXd gain;
  std::vector<double> rest;  // draws, row by row
};

Devices devices_given(const std::vector<std::size_t>& seen, const Gaussian& relative,
                      std::size_t count, std::uint64_t seed) {
  const auto n = static_cast<Index>(seen.size());
  const auto all = static_cast<Index>(relative.size());
  MatrixXd seen_c(n, n), cross(all, n);
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < all; ++i)
      cross(i, j) = relative.cov(std::size_t(i), seen[std::size_t(j)]);
  for (Index i = 0; i < n; ++i) seen_c.row(i) = cross.row(Index(seen[std::size_t(i)]));
  seen_c.diagonal().array() += 1e-8;
  const MatrixXd gain = seen_c.ldlt().solve(cross.transpose()).transpose();
  Gaussian left{std::vector<double>(relative.size(), 0.0), relative.covariance};
  const MatrixXd known = gain * cross.transpose();
  for (Index i = 0; i < all; ++i)
    for (Index j = 0; j < all; ++j) left.cov(std::size_t(i), std::size_t(j)) -= known(i, j);
  return {gain, draws(left, count, seed)};
}

}  // namespace

std::vector<double> DeviceAndHost::draws(std::span<const Asked> asked, std::size_t count,
                                         std::uint64_t seed) const {
  DeviceAndHostFit fit(*this);
  const std::vector<DeviceAndHostMode> modes = fit.modes();
  const auto& seen = fit.machines();
  const auto n = static_cast<Index>(seen.size());
  const auto all = static_cast<Index>(relative_.size());
  SeededNumbers random(seed);
  DrawnParameters parameters(modes, random);
  const Devices devices = devices_given(seen, relative_, count, seed + 1);
  std::vector<double> result(count * asked.size());
  for (std::size_t s = 0; s < count; ++s) {
    const VectorXd theta = parameters.next();
    VectorXd off(n), host(all);
    for (Index i = 0; i < n; ++i) off(i) = theta(kOwn + i) - relative_.mean[seen[std::size_t(i)]];
    for (Index i = 0; i < all; ++i) host(i) = prior_.host_speed_sd * random.normal();
    for (Index i = 0; i < n; ++i) host(Index(seen[std::size_t(i)])) = theta(kOwn + n + i);
    const VectorXd moved = devices.gain * off;
    for (std::size_t a = 0; a < asked.size(); ++a) {
      const std::size_t machine = asked[a].machine;
      const double r = relative_.mean[machine] + moved(Index(machine)) +
                       devices.rest[s * relative_.size() + machine];
      result[s * asked.size() + a] =
          parts_of(theta(0), theta(1), theta(2), r, host(Index(machine)), asked[a].batch).log_lap;
    }
  }
  return result;
}

}  // namespace lapcast
