#pragma once

#include <functional>
#include <span>
#include <vector>

#include "extrapolate/gaussian.h"

namespace lapcast {

/// Holds a nonlinear least-squares problem whose parameters have independent normal priors.
struct PriorProblem {
  std::vector<double> mean;      // of each parameter's prior
  std::vector<double> sd;        // its standard deviation
  std::vector<double> observed;  // what was measured
  std::vector<double> noise;     // standard deviation of each measurement
  /// Writes what the parameters say about each measurement.
  std::function<void(std::span<const double> parameters, std::span<double> forecast)> model;
};

/// Returns the parameters of least cost with their covariance by Laplace's approximation. The
/// search goes downhill from each start (Levenberg 1944, slopes by forward differences, no step
/// longer than 2 in any parameter); `starts` must not be empty.
Gaussian fit_with_priors(const PriorProblem& problem, std::span<const std::vector<double>> starts);

}  // namespace lapcast
