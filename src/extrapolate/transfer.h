#pragma once

#include "extrapolate/gaussian.h"

namespace lapcast {

/// Is the share of programs whose laps the host decides, when nothing says how large its part is.
inline constexpr double kHostBoundShare = 0.25;
/// Is the standard deviation of the logarithm of such a lap on another machine.
inline constexpr double kHostBoundSd = 0.8;
/// Is the standard deviation by which the ratio of two machines differs between batches and modes
/// of one program.
inline constexpr double kOtherBatchNoise = 0.1;

/// Returns the 95 % interval of the logarithm of a lap on a machine that was not measured: by the
/// device, mixed with a share of programs whose lap is that at home because the host decides it.
Interval<double> with_host_part(NormalPart by_device, double log_home,
                                double share = kHostBoundShare);

}  // namespace lapcast
