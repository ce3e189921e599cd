#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

// The speed of a machine wanders from second to second and from hour to hour. The model here:
//   ln(time of a lap) of a slice = candidate + means over the slice of two wandering processes
//                                  + deviation of the program's start + error of the slice
// The processes are Gaussian with a mean of 0 and a covariance that falls exponentially with the
// distance in time. The quick one changes within seconds; the candidates of a group share a part of
// it. The slow one changes within ten minutes, and all candidates of a machine share it.

/// Holds the mean lap of a candidate over a slice of time.
struct SpeedSlice {
  std::size_t candidate = 0;  // 0, 1, 2 ... within a group
  std::size_t start = 0;      // numbers the starts of programs within a group
  double begin_s = 0;         // on any clock that the slices of a group share; <= end_s
  double end_s = 0;
  double log_lap = 0;  // ln(mean seconds of a lap)
  double error = 0;    // standard error of log_lap, from the laps of the slice
};

/// Says how much speed is expected to wander before any slice shows it: medians of standard
/// deviations of ln(time), and the standard deviations of their logarithms.
struct WanderPrior {
  double quick = 0.03;
  double slow = 0.03;
  double start = 0.01;
  double doubt = 1.1;  // of quick and start
  double slow_doubt = 1.1;
};

/// Describes the speeds of a group's candidates as a mixture of normal distributions.
class SpeedEstimates {
 public:
  struct Part {
    double weight = 0;             // sums to 1 over the parts
    std::vector<double> mean;      // of ln(time of a lap), by candidate
    std::vector<double> variance;  // by candidate
    std::vector<double> slow;      // standard deviation due to the slow process
    std::vector<double> root;      // lower Cholesky factor of the other covariance, row-major
    std::size_t wander = 0;        // index into the model's grid
  };

  /// Returns the median and the 95 % interval of a candidate's ln(time of a lap), averaged over all
  /// moments.
  Interval<double> mean_of(std::size_t candidate) const;
  double median_of(std::size_t candidate) const;  // mean_of().mid alone
  /// Returns the same for the mean over one run of that many seconds, which begins at a moment far
  /// from all slices.
  Interval<double> run_of(std::size_t candidate, double seconds) const;
  /// Returns `count` joint draws of the means over all moments: result[draw][candidate]. Draws of
  /// several groups with the same `seed_of_machine` share the effect of the slow process.
  std::vector<std::vector<double>> draws(std::size_t count, std::uint64_t seed,
                                         std::uint64_t seed_of_machine) const;
  /// Returns the standard deviation of ln(time) of runs of that many seconds.
  double spread_of_runs(double seconds) const;

 private:
  friend class SpeedModel;
  /// Returns a quantile of ln(time of a lap) for a run of that many seconds, or, with 0, for the
  /// mean over all moments.
  double quantile(double p, std::size_t candidate, double run_seconds) const;
  Interval<double> quantiles(std::size_t candidate, double run_seconds) const;
  std::vector<Part> parts_;
};

/// Learns how speed wanders from groups of slices, and estimates candidates with it. It averages
/// over a grid of standard deviations, time constants and shares, weighted by how well each
/// explains the groups (restricted likelihood; Patterson, Thompson 1971), so that estimates from
/// little data stay wide: the mixture has the tails of a Student distribution.
class SpeedModel {
 public:
  explicit SpeedModel(const WanderPrior& prior = {});

  /// Holds the log-likelihood of a group of slices at each point of the grid. Empty if the group
  /// has too few slices.
  using Evidence = std::vector<double>;

  /// Returns the evidence of a group. At most its first kMostSlices slices count.
  static Evidence evidence_of(std::span<const SpeedSlice> group);
  /// Learns from a group, such as the runs of one program on one machine. `share`, from 0 to 1,
  /// says how much of its evidence counts: 1 if it shows exactly the wandering of interest, less if
  /// it shows a related one or was measured at the same moments as other groups.
  void learn(const Evidence& group, double share = 1);
  /// Estimates the candidates of a group from all its slices; it does not learn from them. Every
  /// candidate must have slices, and the group must not be empty.
  SpeedEstimates estimate(std::span<const SpeedSlice> group) const;

  static constexpr std::size_t kMostSlices = 60;  // learning evaluates the whole grid

 private:
  std::vector<double> log_weights_;  // of the points of the grid
};

}  // namespace lapcast
