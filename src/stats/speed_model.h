#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/seconds.h"

namespace lapcast {

// How fast a machine is wanders from second to second and from hour to hour. The model here:
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
  double error = 0;    // standard error of log_lap by the laps within the slice
};

/// Says how much speed may wander where no slice has shown it: medians of standard deviations of
/// ln(time), and the standard deviations of their logarithms.
struct WanderPrior {
  double quick = 0.03;
  double slow = 0.03;
  double start = 0.01;
  double doubt = 1.1;  // of quick and start
  double slow_doubt = 1.1;
};

/// Holds what is known of the candidates of a group: a mixture of normal distributions.
class SpeedEstimates {
 public:
  struct Part {
    double weight = 0;             // sums to 1 over the parts
    std::vector<double> mean;      // of ln(time of a lap), by candidate
    std::vector<double> variance;  // by candidate
    std::vector<double> slow;      // standard deviation of its part by the slow process
    std::vector<double> root;      // lower Cholesky factor of the rest's covariance, row by row
    std::size_t wander = 0;        // which of the model's
  };

  /// Returns the median and the 95 % interval of ln(time of a lap) of a candidate, as the mean over
  /// all moments.
  Interval<double> mean_of(std::size_t candidate) const;
  double median_of(std::size_t candidate) const;  // mean_of().mid alone
  /// Returns the median and the 95 % interval of the mean of one run of that many seconds, which
  /// begins at a moment that is not near any slice.
  Interval<double> run_of(std::size_t candidate, double seconds) const;
  /// Returns `count` joint draws of the means over all moments: result[draw][candidate]. Draws of
  /// several groups with the same `seed_of_machine` have what they owe to the slow process in
  /// common.
  std::vector<std::vector<double>> draws(std::size_t count, std::uint64_t seed,
                                         std::uint64_t seed_of_machine) const;
  /// Returns the standard deviation of ln(time) of runs of that many seconds.
  double spread_of_runs(double seconds) const;

 private:
  friend class SpeedModel;
  /// Returns a quantile of ln(time of a lap): of a run of that many seconds, or, with 0, of the
  /// mean.
  double quantile(double p, std::size_t candidate, double run_seconds) const;
  Interval<double> quantiles(std::size_t candidate, double run_seconds) const;
  std::vector<Part> parts_;
};

/// Learns how speed wanders from groups of slices, and estimates candidates with it. It averages
/// over a grid of standard deviations, time constants and shares, weighted by how well each
/// explains the groups (restricted likelihood; Patterson, Thompson 1971), so that little data leave
/// it wide: the mixture has the tails of a Student distribution.
class SpeedModel {
 public:
  explicit SpeedModel(const WanderPrior& prior = {});

  /// Holds how well each point of the grid explains a group of slices: logarithms of likelihoods.
  /// Empty where the group has too few slices to say anything.
  using Evidence = std::vector<double>;

  /// Returns what a group tells of the grid. At most the first kMostSlices count.
  static Evidence evidence_of(std::span<const SpeedSlice> group);
  /// Learns from a group, such as the runs of one program on one machine. `share`, from 0 to 1,
  /// says how much of its evidence counts: 1 where it shows the very wandering that is looked for,
  /// less where it shows a related one, or shares its moments with other groups.
  void learn(const Evidence& group, double share = 1);
  /// Estimates the candidates of a group from all its slices; it does not learn from them. A
  /// candidate without slices must not be. The group must not be empty.
  SpeedEstimates estimate(std::span<const SpeedSlice> group) const;

  static constexpr std::size_t kMostSlices = 60;  // learning looks at the whole grid

 private:
  std::vector<double> log_weights_;  // of the points of the grid
};

}  // namespace lapcast
