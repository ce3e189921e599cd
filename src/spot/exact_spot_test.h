#pragma once

#include <cmath>

#include "spot/spot_job.h"

namespace lapcast {

/// Returns the expected times of simulate() in closed form where sessions and waits are exponential
/// with these means and there is no notice. A stretch s of work and checkpoint takes (e^(s/M) - 1)
/// e^(R/M) (M + W), M mean session, R restart, W mean wait (the complete model of Daly 2006, with
/// waits), and of all time a share M / (M + W) is billed. The first stretch begins after another
/// start B: it takes (1 - e^(-(B+s)/M)) e^((R+s)/M) (M + W).
struct ExpectedSpotTimes {
  Seconds time{0};
  Seconds billed{0};
};
inline ExpectedSpotTimes expected_exponential(const SpotJob& job, Seconds mean_session,
                                              Seconds mean_wait) {
  const double mean = mean_session.count(), cycle = mean + mean_wait.count();
  const double restart = job.costs.restart.count();
  const auto stretch = [&](double length) {
    return std::expm1(length / mean) * std::exp(restart / mean) * cycle;
  };
  const double segments = job.work > job.interval ? std::ceil(job.work / job.interval) - 1 : 0;
  const double saved = job.interval.count() + job.costs.checkpoint.count();
  const double last = job.work.count() - segments * job.interval.count();
  const double start = job.first_start.value_or(job.costs.restart).count();
  const double first = segments > 0 ? saved : last;
  double time = -std::expm1(-(start + first) / mean) * std::exp((restart + first) / mean) * cycle;
  if (segments > 0) time += (segments - 1) * stretch(saved) + stretch(last);
  return {Seconds{time}, Seconds{time * mean / cycle}};
}

}  // namespace lapcast
