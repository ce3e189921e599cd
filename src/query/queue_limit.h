#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/error.h"
#include "core/seconds.h"
#include "remote/slurm_queue.h"
#include "run/run.h"
#include "stats/intervals.h"
#include "store/store.h"

namespace lapcast {

/// Is how much more time than the upper end of its forecast a training gets: times that end.
inline constexpr double kRoomForTraining = 1.2;
/// Is for how much longer than its trainings a machine is rented: to send, to set up and to bring
/// results home.
inline constexpr Seconds kBeforeAndAfterTraining{600};

/// Holds what is known of a training before a queue is asked for its time.
struct QueuedTraining {
  std::optional<Seconds> asked;               // --time-limit
  std::optional<Seconds> max_time;            // --max-time
  std::optional<Interval<Seconds>> forecast;  // of the whole training, 95 %
  std::optional<PartitionLimit> partition;    // nothing: Slurm does not tell it
  bool goes_on = false;                       // it resumes from a checkpoint after it was cut off
};

/// Says for how long a queue is asked to let a training run, and why.
struct QueueLimit {
  std::int64_t ns = 0;  // as ask_for_time() takes it
  std::string text;     // "33:36, 1.2 times the upper end of its forecast (28 min)"
  std::string warning = {};
};

/// Returns the limit that was asked for, else the shortest of 1.2 times the forecast's upper end,
/// --max-time and the partition's limit. Returns the reason when the partition, or what was asked
/// for, ends the training before the middle of its forecast, and it cannot go on after that.
Result<QueueLimit> queue_limit(const QueuedTraining& training);

/// Returns the forecast of a training by the newest probe of the same candidate that has one;
/// nothing without. Fields of the context's plan that are 0 come from the probe's.
std::optional<Interval<Seconds>> forecast_of_training(const Store& store,
                                                      const RunContext& context);

}  // namespace lapcast
