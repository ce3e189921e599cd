#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "extrapolate/accelerator.h"
#include "extrapolate/cpu_prior.h"
#include "extrapolate/gaussian.h"
#include "extrapolate/machine_factors.h"

namespace lapcast {

/// Is the share of the variance between programs that the programs of one user have in common.
/// docs/shortlist.md says how it was chosen.
inline constexpr double kOwnShare = 0.4;

/// Holds the laps of another program of the user, alike on machines of different kinds.
struct OwnProgram {
  struct Lap {
    const AcceleratorSpec* accelerator = nullptr;  // of one card; null on a machine without one
    std::optional<CpuMachine> cpu = {};            // the machine, if it has no accelerator
    double log_seconds = 0;
    double sd = 0;                                 // of log_seconds, besides kLapNoise
    std::optional<PrecisionClass> precision = {};  // that the run told
  };
  std::vector<Lap> laps;
};

/// Holds what another program of the user took on some of the machines of a Gaussian.
struct OwnTimes {
  std::vector<std::size_t> places;
  std::vector<double> log_seconds;  // one for each place
  std::vector<double> noise;        // standard deviation of each
};

/// Returns what is known of a program of the user, as program_on() has it, when other programs of
/// the same user were measured. A program's vector is z + h and its own constant: z is common to
/// the user's programs and has `share` of the covariance, h is its own and has the rest. The times
/// of the others condition z. Without others the Gaussian is returned as it is.
Gaussian given_own_programs(Gaussian program, std::span<const OwnTimes> others,
                            double share = kOwnShare);

}  // namespace lapcast
