#include "extrapolate/least_squares.h"

#include <Eigen/Cholesky>
#include <Eigen/Dense>
#include <Eigen/LU>

#include <algorithm>
#include <utility>

namespace lapcast {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kSlopeStep = 1e-5;
constexpr double kLongestStep = 2;

VectorXd vector_of(const std::vector<double>& values) {
  return Eigen::Map<const VectorXd>(values.data(), static_cast<Eigen::Index>(values.size()));
}

/// Goes downhill on the cost of one problem.
class PriorDescent {
 public:
  explicit PriorDescent(const PriorProblem& problem)
      : problem_(problem),
        mean_(vector_of(problem.mean)),
        precision_(vector_of(problem.sd).array().square().inverse()),
        observed_(vector_of(problem.observed)),
        weight_(vector_of(problem.noise).array().square().inverse()) {}

  /// Holds a place with what the model says there.
  struct Place {
    VectorXd at, forecast;
    double cost = 0;
  };

  Place descend(const std::vector<double>& start) const {
    Place now = place(vector_of(start));
    double damping = 1e-3;
    for (int round = 0; round < 40; ++round) {
      const auto [normal, slope] = equations(now);
      double gain = 0;
      for (int attempt = 0; attempt < 8; ++attempt) {
        MatrixXd damped = normal;
        damped.diagonal() *= 1 + damping;
        const VectorXd step =
            damped.ldlt().solve(slope).cwiseMax(-kLongestStep).cwiseMin(kLongestStep);
        Place next = place(now.at + step);
        if (next.cost <= now.cost) {
          gain = now.cost - next.cost;
          now = std::move(next);
          damping = std::max(damping / 5, 1e-9);
          break;
        }
        damping *= 8;
      }
      if (gain < 1e-6) break;
    }
    return now;
  }

  /// Returns the matrix of the normal equations and its right side.
  std::pair<MatrixXd, VectorXd> equations(const Place& now) const {
    MatrixXd slopes(observed_.size(), mean_.size());
    for (Eigen::Index i = 0; i < mean_.size(); ++i) {
      VectorXd moved = now.at;
      moved(i) += kSlopeStep;
      slopes.col(i) = (forecast(moved) - now.forecast) / kSlopeStep;
    }
    const MatrixXd weighted = weight_.asDiagonal() * slopes;
    MatrixXd normal = slopes.transpose() * weighted;
    normal.diagonal() += precision_;
    return {std::move(normal), weighted.transpose() * (observed_ - now.forecast) -
                                   precision_.cwiseProduct(now.at - mean_)};
  }

 private:
  VectorXd forecast(const VectorXd& at) const {
    VectorXd result(observed_.size());
    problem_.model({at.data(), static_cast<std::size_t>(at.size())},
                   {result.data(), static_cast<std::size_t>(result.size())});
    return result;
  }

  Place place(const VectorXd& at) const {
    Place result{at, forecast(at), 0};
    const VectorXd off = observed_ - result.forecast, moved = at - mean_;
    result.cost =
        (off.dot(weight_.cwiseProduct(off)) + moved.dot(precision_.cwiseProduct(moved))) / 2;
    return result;
  }

  const PriorProblem& problem_;
  VectorXd mean_, precision_, observed_, weight_;
};

}  // namespace

Gaussian fit_with_priors(const PriorProblem& problem, std::span<const std::vector<double>> starts) {
  const PriorDescent descent(problem);
  PriorDescent::Place best = descent.descend(starts.front());
  for (const auto& start : starts.subspan(1))
    if (PriorDescent::Place found = descent.descend(start); found.cost < best.cost)
      best = std::move(found);
  const MatrixXd covariance = descent.equations(best).first.inverse();
  return {{best.at.data(), best.at.data() + best.at.size()},
          {covariance.data(), covariance.data() + covariance.size()}};
}

}  // namespace lapcast
