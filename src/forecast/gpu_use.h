#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lap/lap_log.h"

namespace lapcast {

/// Describes how much one GPU computed in the training of a run, and how much memory was in use.
struct GpuUse {
  std::int64_t number = 0;  // the driver's
  /// Counts the samples in the training that tell how busy the GPU was; the next three figures are
  /// from these samples, and 0 if there are none.
  std::int64_t samples = 0;
  double mean_busy = 0;  // share of the time in which it computed
  double peak_busy = 0;
  double idle_share = 0;  // share of the samples in which it computed nothing at all
  std::optional<std::int64_t> peak_memory_bytes;  // in the whole run
  std::optional<std::int64_t> memory_bytes;       // that it has
  bool used_by_program = false;                   // a process of the program was seen on it
  bool with_first_lap = false;                    // the training includes the first lap
  std::vector<double> busy;                       // of each sample in the training, in order
};

/// Returns the use of each sampled GPU, ordered by number. `training` is on the clock of the
/// samples; a sample counts if it and the 0.2 s before it lie within. Without `training` the whole
/// run counts.
std::vector<GpuUse> use_of_gpus(std::span<const GpuSample> samples,
                                const std::optional<Span>& training);

/// Returns the time from the begin of the second lap (or of the only one) to the end of the last
/// one, or nothing if a log has no lap. The first lap often compiles. The rest of the warm-up is
/// only a little slower, and may be half of a short run.
std::optional<Span> training_of(const LapLog& log);

/// Returns the use of each GPU in the training_of() a log. Where one has fewer than 5 samples
/// there, as in a probe of a second, the first lap counts as well.
std::vector<GpuUse> use_in_training(const LapLog& log);

/// Returns whether a GPU computed nothing in at least 95 % of the samples in the training. Needs at
/// least 10 samples: a probe of a few seconds may end before the program uses all its GPUs.
bool was_idle(const GpuUse& use);

/// Returns what a user should know about the use of GPUs: describe_idle(), or else that one
/// computes for at least 25 % of the training longer than each of the others, or else that the GPUs
/// do not limit the program: "GPU busy 30 % of the training: ...". Returns an empty text if the
/// program's GPUs (all GPUs if it was seen on none) computed for half of the time or more, or if
/// they have fewer than 5 samples.
std::string describe_use(std::span<const GpuUse> uses);

/// Returns the share of the training in which the program's GPUs (all GPUs if it was seen on none)
/// computed, or nothing if one of them has fewer than 5 samples.
std::optional<double> busy_share(std::span<const GpuUse> uses);
/// Is the least busy_share() at which the GPUs, and hardly the host, limit a program. It is shown
/// as 90 %.
inline constexpr double kGpuIsTheLimit = 0.895;

/// Returns a sentence such as "GPU 1 was idle: it computed nothing in 98 % of 41 samples in the
/// training; ...", or an empty text if no GPU was idle or there is only one: the program may be
/// meant for CPUs.
std::string describe_idle(std::span<const GpuUse> uses);

}  // namespace lapcast
