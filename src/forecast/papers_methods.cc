#include "forecast/papers_methods.h"

namespace lapcast {

double epoch_method(double init, double first_epoch, double later_epoch, double n_ep) {
  return init + first_epoch + (n_ep - 1) * later_epoch;
}

double iteration_method(const IterationTimes& times, double n_it, double n_ep) {
  const double first_epoch = times.first + times.second * (n_it - 1) + times.first_validation;
  const double other_epoch = times.second * n_it + times.later_validation;
  return times.init + first_epoch + (n_ep - 1) * other_epoch;
}

}  // namespace lapcast
