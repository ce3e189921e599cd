#pragma once

#include <optional>
#include <span>

#include "core/seconds.h"
#include "run/run.h"

namespace lapcast {

/// Returns the cores that the runs could use times their clock in GHz, averaged over the runs. The
/// cores are the CPUs of the machine type, at most the physical cores of the machine and its quota;
/// the clock is the highest of the machine. Returns nothing where one of them is not known, and for
/// runs on an accelerator (device=cuda, or memory on a device), whose time follows from other
/// figures.
std::optional<double> cores_times_clock(std::span<const Run> runs);

/// Holds what to expect of a set of runs by cores x clock, as Lawrence 2017, section II-I, predicts
/// the time of one machine from that of another.
struct LinearExpectation {
  Interval<double> seconds;  // mean time of the first set x its cores x clock / those of this set
  Interval<double> ratio;    // measured mean time over the expected one
};

/// Returns the expectation for the times of a set, in seconds, from those of the first set. Returns
/// nothing where a set has no times or its cores x clock are not known. A set with one run has no
/// interval.
std::optional<LinearExpectation> linear_expectation(std::span<const double> first,
                                                    std::optional<double> first_capacity,
                                                    std::span<const double> times,
                                                    std::optional<double> capacity);

}  // namespace lapcast
