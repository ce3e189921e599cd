#pragma once

namespace lapcast {

// The formulas of Malta 2021, in seconds. n_it is the unrounded quotient of samples and batch size,
// as in its tables.

/// Returns the time by eq. 5.1; eq. 4.1 is the same with init = 0.
double epoch_method(double init, double first_epoch, double later_epoch, double n_ep);

/// Holds what eq. 5.3 and 5.4 take from the first laps of a run.
struct IterationTimes {
  double init = 0;
  double first = 0;   // T(E1 It1)
  double second = 0;  // T(E1 It2), or the mean of iterations 2 to 10
  double first_validation = 0;
  double later_validation = 0;
};

/// Returns the time by eq. 5.3; eq. 5.4 is the same without validations. (As printed, eq. 5.4
/// counts the first iteration twice; Malta's tables do not.)
double iteration_method(const IterationTimes& times, double n_it, double n_ep);

}  // namespace lapcast
