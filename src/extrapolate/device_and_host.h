#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "extrapolate/gaussian.h"

namespace lapcast {

/// Holds the priors of DeviceAndHost; times are logarithms of seconds, sd standard deviations.
struct DeviceAndHostPrior {
  double host_mean = -3.912;  // ln 0.02 s of host work in a lap
  double host_sd = 1.2;
  double fixed_mean = 1.386;  // ln 4 samples: device work of a lap that the batch does not change
  double fixed_sd = 1.5;
  double host_speed_sd = 0.35;  // of other machines' hosts
  double lap_noise = 0.04;
  double busy_noise = 0.15;
};

/// Forecasts laps on machines that were not measured from laps at two batches or more, or from the
/// busy time of the device: a lap has a part of the host and a part of the device, which run beside
/// each other,
///   t(machine, batch) = sqrt((O k)^2 + (c (batch + f) r)^2),
/// with O seconds of host work, k the slowness of the machine's host, c seconds of device work a
/// sample, f samples of fixed device work, and r the slowness of its device. It is a least-squares
/// fit with priors (Levenberg 1944) from several starts; the modes are weighed by Laplace's
/// approximation.
class DeviceAndHost {
 public:
  /// `relative` has what is known of ln r of all machines together, up to a constant.
  explicit DeviceAndHost(Gaussian relative, const DeviceAndHostPrior& prior = {})
      : relative_(std::move(relative)), prior_(prior) {}

  void add_lap(std::size_t machine, double batch, double log_seconds);
  /// Learns the time that the device was busy in a lap.
  void add_busy(std::size_t machine, double batch, double log_seconds);

  /// Names a lap that is asked for.
  struct Asked {
    std::size_t machine = 0;
    double batch = 1;
  };
  /// Returns `count` draws of the logarithms of the laps asked for, row by row. At least one lap
  /// must have been added. The same seed gives the same draws.
  std::vector<double> draws(std::span<const Asked> asked, std::size_t count,
                            std::uint64_t seed) const;

 private:
  struct Observation {
    bool is_busy = false;
    std::size_t machine = 0;
    double batch = 1;
    double log_seconds = 0;
  };
  friend class DeviceAndHostFit;

  Gaussian relative_;
  DeviceAndHostPrior prior_;
  std::vector<Observation> observed_;
};

}  // namespace lapcast
