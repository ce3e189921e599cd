#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "spot/availability_trace.h"
#include "spot/spot_job.h"
#include "spot/spot_supply.h"

namespace lapcast {

/// Forecasts a job on spot machines. All intervals include the randomness of interruptions, the
/// small number of sessions and waits in the trace, and the change of the supply.
struct SpotForecast {
  Interval<Seconds> time;    // until the result
  Interval<Seconds> billed;  // time on machines; cost = billed * price
  SpotTimes mean;            // means of the parts, over the simulated jobs that finished
  double interruptions = 0;  // their mean over the same jobs
  /// Gives the share of the simulated jobs that finished: within ten years and 100,000
  /// interruptions.
  double finished = 1;
  double undisturbed = 0;         // share of the finished jobs without an interruption
  Seconds undisturbed_billed{0};  // what each of these is billed for
  std::vector<double> finish_s;   // times of the jobs that finished, ascending
  /// Returns the share of the simulated jobs that finish within a deadline.
  double in_time(Seconds deadline) const;
};

/// Simulates `jobs` jobs on supply_like() the trace; with `works` one for each of these equally
/// likely works in seconds, which replace job.work. The same seed gives the same forecast. Returns
/// the reason when the job is not valid, or the trace has no supply.
Result<SpotForecast> forecast_on_spot(SpotJob job, std::span<const PresenceSpan> trace,
                                      const SupplyConstants& constants = {}, int jobs = 2000,
                                      std::uint64_t seed = 1, std::span<const double> works = {});

/// Forecasts a job whose sessions and waits have known distributions, such as exponential ones from
/// a rate of interruptions, by simulating `jobs` jobs. The first machine is there at once. The
/// intervals include only the randomness of interruptions. Returns the reason when the job is not
/// valid.
Result<SpotForecast> forecast_on_spot(const SpotJob& job, const LifetimeDistribution& sessions,
                                      const LifetimeDistribution& waits, int jobs = 2000,
                                      std::uint64_t seed = 1);

/// Holds the results of simulated jobs, in their order.
struct SpotCases {
  std::vector<double> time_s;    // until the result
  std::vector<double> billed_s;  // on machines
  std::vector<double> interruptions;
};

/// Simulates one job for each of these works in seconds, which replace job.work. The randomness of
/// the k-th job depends only on the seed and on k, so that jobs that differ in anything else can be
/// compared. Returns the reason when a job is not valid, and when more than one in a hundred does
/// not finish within ten years and 10,000 interruptions.
Result<SpotCases> simulated_cases(SpotJob job, std::span<const double> works,
                                  const SpotSupply& supply, std::uint64_t seed);

/// Returns the forecast of a job whose work is not known exactly: `works` are equally likely cases
/// of it, `cases` their simulated_cases() of the same seed. The mean of the parts and time.mid (the
/// median) are those of jobs with job.work, so that they include only the randomness of
/// interruptions; the ends of the intervals are the 2.5 and 97.5 % quantiles of the cases, and
/// include both, as finish_s does. Returns the reason like simulated_cases().
Result<SpotForecast> forecast_of_cases(const SpotJob& job, const SpotCases& cases,
                                       const SpotSupply& supply, std::uint64_t seed);

}  // namespace lapcast
