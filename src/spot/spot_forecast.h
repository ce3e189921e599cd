#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "spot/availability_trace.h"
#include "spot/spot_job.h"

namespace lapcast {

/// Says how the mean of times differs between a trace and what follows it.
struct DriftOfTimes {
  Seconds prior_mean{0};  // over all places
  double pull = 0;        // ln(mean) returns towards the prior by this share, 0..1
  double deviation = 0;   // standard deviation of ln(mean) around that
};

/// Says how far the future of a spot machine may differ from a trace of its past. The defaults were
/// chosen by `./bench spot-forecast` on all its traces.
struct SupplyConstants {
  DriftOfTimes session{Seconds{12000}, 0.4, 0.5};
  DriftOfTimes wait{Seconds{1800}, 0.8, 1.6};
  double prior_cycles = 1;  // weight of the prior, in cycles of a session and a wait
};

/// Forecasts a job on spot machines. All intervals hold the luck of interruptions, the small number
/// of sessions and waits in the trace, and the change of the supply.
struct SpotForecast {
  Interval<Seconds> time;    // until the result
  Interval<Seconds> billed;  // time on machines; times the price it is the cost
  SpotTimes mean;            // means of the parts, over the simulated jobs that finished
  double interruptions = 0;  // their mean over the same jobs
  double finished =
      1;  // share of the simulated jobs that finished: within ten years, 100,000 interruptions
  std::vector<double> finish_s;  // times of the jobs that finished, ascending
  /// Returns the share of the simulated jobs that finish within a deadline.
  double in_time(Seconds deadline) const;
};

/// Simulates `jobs` jobs that begin at a random time after the trace. A simulated supply repeats
/// sessions and waits of the trace in blocks of eight cycles on average (stationary bootstrap,
/// Politis and Romano 1994) from a random moment on. Each supply stretches all its sessions and all
/// its waits by a lognormal factor: its mean pulls towards the prior, and its variance is that of
/// the drift + 1 / number observed. Cycles are replaced by ones of the prior, with exponential
/// times, with probability prior / (prior + cycles).
/// A last session whose end was not seen goes on for an exponential time. The same seed gives the
/// same forecast. Returns the reason when the job is not valid, or when the trace has no time in
/// which it is known whether the machine was there.
Result<SpotForecast> forecast_on_spot(const SpotJob& job, std::span<const PresenceSpan> trace,
                                      const SupplyConstants& constants = {}, int jobs = 2000,
                                      std::uint64_t seed = 1);

/// Forecasts a job whose sessions and waits have known distributions, such as exponential ones from
/// a rate of interruptions, by `jobs` simulated ones. The first machine is there at once. The
/// intervals hold the luck of interruptions alone. Returns the reason when the job is not valid.
Result<SpotForecast> forecast_on_spot(const SpotJob& job, const LifetimeDistribution& sessions,
                                      const LifetimeDistribution& waits, int jobs = 2000,
                                      std::uint64_t seed = 1);

}  // namespace lapcast
