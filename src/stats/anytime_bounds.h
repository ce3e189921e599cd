#pragma once

namespace lapcast {

/// Half-widths of confidence sequences for a mean, in standard errors s / sqrt(n): the mean lies
/// within factor x standard error of the estimate at every n at once with probability 1 - error, so
/// that one may look after each value and stop when one likes. 0 < error < 1; n need not be whole:
/// the effective number of autocorrelated values.

/// Of a known standard deviation, or one that is taken to be at least the true one: the normal
/// mixture (Robbins 1970; Howard, Ramdas, McAuliffe, Sekhon 2021, eq. 14), tightest at a few values.
double anytime_z_factor(double n, double error);

/// Of normal values whose standard deviation is only estimated, from the same n values: the t-test
/// mixture (Lai 1976; Wang, Ramdas 2024, with a normal effect of 3 standard deviations). Infinite
/// while n is too small to say anything.
double anytime_t_factor(double n, double error);

/// The smaller of two half-widths that hold together with probability 1 - error: the one from the
/// estimated standard error alone, and the one that takes the standard deviation to be at least
/// `least_deviation`.
double anytime_half_width(double standard_error, double least_deviation, double n, double error);

}  // namespace lapcast
