#pragma once

namespace lapcast {

// Half-widths of confidence sequences for a mean, in standard errors s / sqrt(n): with probability
// 1 - error the mean lies within factor x standard error of the estimate at every n at once, so
// that a caller may look after each value and stop at any time. 0 < error < 1. n need not be whole:
// it is the effective number of autocorrelated values.

/// Returns the factor for a known standard deviation, or one that is at least the true one: the
/// normal mixture (Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon 2021, eq. 14), tightest at a few
/// values.
double anytime_z_factor(double n, double error);

/// Returns the factor where the standard deviation is estimated from the same n normal values: the
/// t-test mixture (Lai 1976; Wang, Ramdas 2024, with a normal effect of 3 standard deviations). It
/// is infinite while n is too small.
double anytime_t_factor(double n, double error);

/// Returns the smaller of two half-widths that hold together with probability 1 - error: the one
/// from the estimated standard error alone, and the one that takes the standard deviation to be at
/// least `least_deviation`.
double anytime_half_width(double standard_error, double least_deviation, double n, double error);

}  // namespace lapcast
