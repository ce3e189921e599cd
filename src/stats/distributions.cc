#include "stats/distributions.h"

#include <boost/math/distributions/binomial.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <boost/math/special_functions/erf.hpp>
#include <cmath>

namespace lapcast {

double normal_cdf(double z) {
  return 0.5 * std::erfc(-z / std::sqrt(2.0));
}

double normal_quantile(double p) {
  return -std::sqrt(2.0) * boost::math::erfc_inv(2 * p);
}

double student_t_quantile(double p, double df) {
  return boost::math::quantile(boost::math::students_t(df), p);
}

double student_t_two_sided(double t, double df) {
  return 2 * boost::math::cdf(boost::math::complement(boost::math::students_t(df), std::abs(t)));
}

double binomial_half_cdf(std::size_t k, std::size_t n) {
  return boost::math::cdf(boost::math::binomial(static_cast<double>(n), 0.5),
                          static_cast<double>(k));
}

}  // namespace lapcast
