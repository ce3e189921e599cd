#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "run/run.h"

namespace lapcast {

/// Names what a figure of memory was measured with. The meters differ by gigabytes, so that figures
/// of two of them are never compared: a driver counts what an allocator keeps for later, too, and
/// what a process takes on CPUs says nothing of a GPU's memory.
enum class MemoryMeter {
  process,    // resident memory of the program's processes, of the machine's main memory
  allocator,  // tensors on the device, as the program's library reports it (device-memory)
  driver,     // what the GPU's driver says that the program's processes hold
};

/// Returns the name in JSON: "process", "allocator", "driver".
std::string_view to_string(MemoryMeter meter);
/// Returns "main memory", "GPU memory by the program's allocator", "GPU memory by the driver".
std::string_view in_words(MemoryMeter meter);

/// Says how fast the peak still grows once the training goes on evenly.
struct MemoryGrowth {
  double bytes_per_lap = 0;
  double bytes_per_second = 0;
};

/// Holds what one meter said in a run. A member is absent if it was not measured.
struct MeteredMemory {
  MemoryMeter meter = MemoryMeter::process;
  std::int64_t peak_bytes = 0;                        // in the whole run
  std::int64_t memory_bytes = 0;                      // of the machine or the GPU; 0 = not known
  std::optional<std::int64_t> training_bytes = {};    // the most in the laps
  std::optional<std::int64_t> validation_bytes = {};  // the most in the validations
  std::optional<std::int64_t> checkpoint_bytes = {};  // the most while checkpoints were written
  std::optional<MemoryGrowth> growth = {};

  /// Returns the peak as a share of the memory; absent if that is not known.
  std::optional<double> share() const;
};

/// Is a sample of memory: its time in the run and the bytes.
struct MemorySample {
  std::int64_t at_ns = 0;
  std::int64_t bytes = 0;
};

/// Returns how fast memory grows over the samples within the laps, the first quarter of them left
/// out. It grows if the peak of each third of the rest is above that of the third before by 0.5 %
/// or more. Needs 9 samples and 30 laps.
std::optional<MemoryGrowth> growth_of(std::span<const MemorySample> samples,
                                      std::span<const Lap> laps);

/// Returns what each meter said in a run with that log. The process meter has the larger of the
/// largest single process and the most of all processes in one sample. The driver's meter is that
/// of the program's fullest GPU.
std::vector<MeteredMemory> memory_of(const Run& run, const LapLog& log);

/// Returns "main memory: at most 1.2 GiB of 16.0 GiB (7.5 %)".
std::string describe(const MeteredMemory& memory);

/// Is the share of a memory from which a user is warned.
inline constexpr double kNearlyFull = 0.95;

/// Returns warnings: that a memory is nearly full, that its peak still grows and when it would be
/// full, and that validations or checkpoints need more than the laps. Empty texts are left out.
std::vector<std::string> memory_warnings(std::span<const MeteredMemory> memory);

}  // namespace lapcast
