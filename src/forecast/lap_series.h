#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "forecast/disturbance.h"
#include "forecast/lap_observations.h"
#include "forecast/paused_time.h"
#include "lap/lap_log.h"
#include "stats/steady_state.h"

namespace lapcast {

/// Returns the seconds that each lap cost: from the end of the lap before it to its own end,
/// without pauses. The first lap of an epoch counts from its own begin. Queued laps share the cost
/// of their stretch (share_out_queued()). No cost is negative.
std::vector<double> lap_costs(const LapLog& log, const PausedTime& paused);

/// Holds the laps that can be compared with one another: full batches of the last phase.
struct FullLaps {
  std::vector<double> seconds;       // per full batch
  std::vector<std::uint32_t> index;  // into the laps given
  std::size_t queued = 0;            // number of the given laps that reported queued work
  double samples = 0;                // of a full batch; 0 = the laps report none
  bool scaled = false;               // batches vary: `seconds` are scaled to the median batch
  /// Says that the first lap of each later epoch is left out: its extra time is epoch overhead.
  bool without_first_of_epoch = false;
};
/// Returns the full laps; `costs` has the seconds of each lap (lap_costs()). Partial batches are
/// left out; where no batch size makes up more than half of the laps, all are kept and scaled by
/// samples. Queued laps that may not be done yet are left out, as are first laps of epochs where
/// epochs have 8 laps or more on average. The result is empty only when `laps` is.
FullLaps full_laps(std::span<const Lap> laps, std::span<const double> costs);

// Laps whose work was only queued on a device end before the work is done: their own times show how
// fast the CPU queues, and the lap that waits for the device includes the time of all before it.

/// Shares out the cost of each stretch of queued laps and of the finished lap that ends it among
/// these laps by their samples (evenly where they report none), so that queued work does not look
/// fast. A stretch crosses neither a change of phase nor a pause. `costs` has the seconds of each
/// lap and keeps its sum.
void share_out_queued(std::span<const Lap> laps, std::span<double> costs,
                      std::span<const RemovedPause> pauses = {});

/// Returns how many laps, from the first on, have a known cost: up to the last finished one,
/// because later work may not be done yet. Returns all of them where no lap reported that it
/// finished.
std::size_t known_laps(std::span<const Lap> laps);

/// Holds the analysis of a log, made once for all that is computed from it. The log has to outlive
/// it. For undisturbed conditions, laps cost what they would have without the work of others, and
/// only undisturbed ones are full laps; why_not_undisturbed() must be nothing then.
struct Series {
  explicit Series(const LapLog& log, Conditions conditions = Conditions::as_measured);

  const LapLog& log;
  PausedTime paused;
  std::vector<double> costs;  // lap_costs()
  FullLaps full;  // also without laps beside validations, where those are fewer than half, and
                  // without disturbed ones and laps_around_pauses()
  /// Holds the index in full.seconds of the first lap of each slice of time: the program was
  /// suspended between them. Is {0} also where the first slice is too short to show the warm-up.
  std::vector<std::size_t> slices;
  bool coarse;                   // there are several epochs, and no epoch has more than one lap
  LapObservations observations;  // of `full`
  SteadyState observed_state;    // of observed()
  SteadyState state;             // the same, of full.seconds

  /// Returns the seconds of a lap in each observation.
  std::span<const double> observed() const {
    return observations.are_laps() ? full.seconds : observations.seconds;
  }
  /// Returns the number of steady observations; 0 where no lap has a known end.
  std::int64_t steady_observations() const {
    return observations.count_from(observed_state.begin, full.seconds.size());
  }
  /// Returns the seconds of the steady full laps.
  std::span<const double> steady() const { return std::span(full.seconds).subspan(state.begin); }
  /// Returns the index of the first steady lap in log.laps. Needs at least one lap.
  std::size_t first_steady_lap() const { return full.index[state.begin]; }
  const Lap& first_lap_of(std::size_t observation) const;
  const Lap& last_lap_of(std::size_t observation) const;
  /// Returns how many full batches the lap counts for.
  double share(std::size_t lap) const {
    return full.samples > 0 ? log.laps[lap].samples / full.samples : 1;
  }
  /// Returns by how many seconds the laps together exceed steady ones with equally many samples;
  /// `steady_lap` is the seconds of a full steady lap. The first laps of epochs do not count where
  /// their extra time is epoch overhead.
  double excess(LapRange laps, double steady_lap) const;
};

/// Returns the mean of the steady full laps: steady_mean(), or coarse_mean() of coarse laps. Needs
/// at least one lap.
SteadyMean mean_of(const Series& series);

/// Returns for every epoch boundary the seconds from the last lap of an epoch to the first of the
/// next, without pauses. With `steady_lap` > 0, the seconds of a steady lap, the extra time of that
/// first lap is added. With 0, the begin of a last epoch that has no laps yet ends a boundary too.
std::vector<double> epoch_boundaries(const Series& series, double steady_lap);

/// Returns the times of the epochs that ended, each from its begin to the begin of the next; the
/// last one includes the pauses that follow it (as Malta 2021, eq. 5.1, counts epochs).
std::vector<Seconds> whole_epochs(const Series& series);

}  // namespace lapcast
