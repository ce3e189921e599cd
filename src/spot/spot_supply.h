#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "core/error.h"
#include "core/seconds.h"
#include "spot/availability_trace.h"
#include "spot/lifetimes.h"
#include "spot/spot_job.h"
#include "stats/distributions.h"

namespace lapcast {

/// Says how the mean time differs between a trace and what follows it.
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

/// Simulates one job, which must be valid, on spot machines that come and go at random. It gives
/// up, with `finished` false, after most_interruptions or ten years.
using SpotSupply =
    std::function<SpotTimes(const SpotJob&, SeededNumbers&, std::uint64_t most_interruptions)>;

/// Returns a supply whose jobs begin at a random time after a trace. Each job has a supply of its
/// own, which repeats sessions and waits of the trace in blocks of eight cycles on average
/// (stationary bootstrap, Politis and Romano 1994) from a random moment on. It stretches all its
/// sessions, and all its waits, by a lognormal factor, whose mean pulls towards the prior and whose
/// variance is that of the drift + 1 / number observed. Cycles are replaced by ones of the prior,
/// with exponential times, with probability prior / (prior + cycles). A last session whose end was
/// not seen continues for an exponential time. Returns the reason when the trace never says whether
/// the machine was there.
Result<SpotSupply> supply_like(std::span<const PresenceSpan> trace,
                               const SupplyConstants& constants = {});

/// Returns how long machines last after a trace: its sessions, stretched by nine equally likely
/// factors of the drift. Without stretching, the best interval for the trace's sessions may not fit
/// into slightly shorter ones. Returns the reason when the machine was never there.
Result<LifetimeDistribution> sessions_after(std::span<const PresenceSpan> trace,
                                            const SupplyConstants& constants = {});

/// Returns a supply whose sessions and waits are independent draws; the first machine is there at
/// once, and without `waits` the next ones are, too.
SpotSupply supply_of(LifetimeDistribution sessions, std::optional<LifetimeDistribution> waits);

}  // namespace lapcast
