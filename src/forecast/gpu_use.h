#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lap/lap_log.h"

namespace lapcast {

/// Says how much one GPU computed in the training of a run, and how much memory was in use.
struct GpuUse {
  std::int64_t number = 0;  // the driver's
  /// Counts the samples in the training that tell how busy the GPU was; the three figures after it
  /// are of these samples, and 0 where there is none.
  std::int64_t samples = 0;
  double mean_busy = 0;  // share of the time in which it computed
  double peak_busy = 0;
  double idle_share = 0;  // share of the samples in which it computed nothing at all
  std::optional<std::int64_t> peak_memory_bytes;  // in the whole run
  std::optional<std::int64_t> memory_bytes;       // that it has
  bool used_by_program = false;                   // a process of the program was seen on it
  bool with_first_lap = false;                    // the training is from the first lap on
  std::vector<double> busy;                       // of each sample in the training, in order
};

/// Returns the use of each GPU that was sampled, by its number. The training is what lies in
/// `training`, on the clock of the samples: a sample tells of the second before it, which must lie
/// in it as a whole. Without `training` it is the whole run.
std::vector<GpuUse> use_of_gpus(std::span<const GpuSample> samples,
                                const std::optional<Span>& training);

/// Returns the time from the begin of the second lap (of the only one where there is no second) to
/// the end of the last one, or nothing where a log has no lap. The first lap often compiles. What
/// else counts as warm-up only makes laps a little slower, and may be half of a short run.
std::optional<Span> training_of(const LapLog& log);

/// Returns the use of each GPU in the training_of() a log. Where one has fewer than 5 samples
/// there, as in a probe of a second, the first lap counts as well.
std::vector<GpuUse> use_in_training(const LapLog& log);

/// Returns whether a GPU computed nothing in at least 95 % of the samples in the training, which
/// are at least 10: probes of a few seconds may end before a program uses all its GPUs.
bool was_idle(const GpuUse& use);

/// Returns what a user should know of the use of GPUs: describe_idle(), or else whether the GPUs
/// are not what limits the program: "GPU busy 30 % of the training: ...". Returns an empty text
/// where the GPUs on which the program was seen (all of them where it was seen on none) computed
/// for half of the time or more, or where fewer than 5 samples tell it.
std::string describe_use(std::span<const GpuUse> uses);

/// Returns the share of the training in which the GPUs computed on which the program was seen (all
/// of them where it was seen on none), or nothing where fewer than 5 samples of one tell it.
std::optional<double> busy_share(std::span<const GpuUse> uses);
/// Is the busy_share() from which on the GPUs limit a program, and the host hardly does: it is
/// shown as 90 %.
inline constexpr double kGpuIsTheLimit = 0.895;

/// Returns a sentence such as "GPU 1 was idle: it computed nothing in 98 % of 41 samples in
/// the training; ...", or an empty text where no GPU was idle. A single GPU has no sentence: the
/// program may be meant for CPUs.
std::string describe_idle(std::span<const GpuUse> uses);

}  // namespace lapcast
