#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/seconds.h"
#include "lap/training_plan.h"

namespace lapcast {

/// Holds one training iteration as it was reported. Times are nanoseconds since the log's hello. A
/// day has millions of laps, so this struct is small.
struct Lap {
  std::int64_t begin_ns = 0;  // end of the event before it (metrics do not count)
  std::int64_t end_ns = 0;
  std::int32_t index = 0;  // 0 for the first lap of the run
  std::int32_t samples = 0;
  std::int32_t epoch = 0;  // as reported, from 1; 0 before any epoch began
  std::int16_t phase = 0;  // index into LapLog::phases
  bool finished = true;    // false: the work was only queued on a device
  bool shared = false;     // its end was not seen: it shares a time with the lap after it

  constexpr Seconds seconds() const { return from_ns(end_ns - begin_ns); }
  friend constexpr bool operator==(const Lap&, const Lap&) = default;
};

/// Holds a stretch of time, in nanoseconds since the log's hello; begin_ns <= end_ns.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  constexpr Seconds seconds() const { return from_ns(end_ns - begin_ns); }
  friend constexpr bool operator==(const Span&, const Span&) = default;
};

/// Holds the first event of a log: who writes it and what its times mean.
struct Hello {
  MonotonicNs clock_ns = 0;  // CLOCK_MONOTONIC at time 0 of this log
  double wall_seconds = 0;   // seconds since 1970 at time 0
  std::int64_t pid = 0;
  std::int32_t rank = 0;  // of a distributed run; 0 .. world_size - 1
  std::int32_t world_size = 1;
  std::string host;
  std::string emitter;  // such as "lap.h/1"
  friend bool operator==(const Hello&, const Hello&) = default;
};

/// Describes one stage of the program other than an epoch or a validation.
struct StageSpan {
  std::string name;  // "data-load", "pre-process", "compile", "train", "evaluate", "checkpoint" ...
  Span span;
  std::int64_t bytes = 0;        // of a checkpoint; 0 = not known
  std::int32_t epoch = 0;        // reported epoch in which it ended
  std::int64_t laps_before = 0;  // laps that ended before it began
  friend bool operator==(const StageSpan&, const StageSpan&) = default;
};

struct ValidationSpan {
  Span span;
  std::int64_t samples = 0;
  std::int32_t epoch = 0;        // the reported epoch that had last begun
  bool within_epoch = false;     // began before that epoch's end was reported: every n steps, or
                                 // requested by the supervisor
  std::int64_t laps_before = 0;  // laps that ended before it began
  friend bool operator==(const ValidationSpan&, const ValidationSpan&) = default;
};

struct EpochSpan {
  std::int32_t epoch = 0;
  Span span;  // from its begin to its end; end_ns = 0 while not ended
  bool ended = false;
  std::int64_t first_lap = 0;  // index of the first lap in it
  std::int64_t laps = 0;
  std::int64_t samples = 0;
  friend bool operator==(const EpochSpan&, const EpochSpan&) = default;
};

/// Says that a training began anew: what was reported before is part of no training, such as the
/// attempts of a search for the largest batch.
struct NewBegin {
  std::int64_t at_ns = 0;
  std::int64_t laps_before = 0;
  friend bool operator==(const NewBegin&, const NewBegin&) = default;
};

struct MetricPoint {
  std::string name;
  double value = 0;
  std::int64_t at_ns = 0;
  std::int32_t epoch = 0;
  std::int64_t laps_before = 0;
  friend bool operator==(const MetricPoint&, const MetricPoint&) = default;
};

/// Describes what a machine did beside the program in a stretch of time, as the supervisor measured
/// it. CPU times are nanoseconds within the stretch, summed over the program's CPUs; a member is
/// absent where the system does not tell.
struct LoadSample {
  using Field = std::optional<std::int64_t>;
  std::int64_t at_ns = 0;    // the end of the stretch
  std::int64_t span_ns = 0;  // its length
  Field cpus;                // that the program may use
  Field run_ns;              // CPU time of the program
  Field delay_ns;            // the longest wait of one of its threads for a CPU
  Field others_ns;           // CPU time of all else
  Field steal_ns;            // taken by the host
  Field throttled_ns;        // how long CPU quotas kept the program waiting
  Field cpu_stall_ns;        // some process waited for a CPU (pressure stall information)
  Field memory_stall_ns;     // likewise for memory
  Field io_stall_ns;         // likewise for a disk
  Field mhz;                 // mean clock of the program's CPUs
  Field swapped_bytes;       // in and out, of the whole machine
  Field threads_left_out;    // of the program: too many to sample
  Field workers;             // worker processes of the program, such as those of a loader
  Field gpu_mhz;             // clock of the GPU's multiprocessors
  Field gpu_throttle;        // NVML's mask of reasons why the clock is low
  Field gpu_celsius;
  Field gpu_others;    // processes of others that use the GPU
  Field gpu_mw;        // power of the GPUs in mW
  Field cpu_mw;        // power of all CPUs of the machine in mW, by RAPL
  Field memory_bytes;  // resident memory of the program's processes, shared pages once
  friend bool operator==(const LoadSample&, const LoadSample&) = default;
};

/// Lists the keys of a load in a lap log, in the order of its line.
inline constexpr std::pair<std::string_view, LoadSample::Field LoadSample::*> kLoadFields[] = {
    {"cpus", &LoadSample::cpus},
    {"run", &LoadSample::run_ns},
    {"delay", &LoadSample::delay_ns},
    {"others", &LoadSample::others_ns},
    {"steal", &LoadSample::steal_ns},
    {"throttled", &LoadSample::throttled_ns},
    {"cpu-stall", &LoadSample::cpu_stall_ns},
    {"memory-stall", &LoadSample::memory_stall_ns},
    {"io-stall", &LoadSample::io_stall_ns},
    {"mhz", &LoadSample::mhz},
    {"swapped", &LoadSample::swapped_bytes},
    {"left-out", &LoadSample::threads_left_out},
    {"workers", &LoadSample::workers},
    {"gpu-mhz", &LoadSample::gpu_mhz},
    {"gpu-throttle", &LoadSample::gpu_throttle},
    {"gpu-celsius", &LoadSample::gpu_celsius},
    {"gpu-others", &LoadSample::gpu_others},
    {"gpu-mw", &LoadSample::gpu_mw},
    {"cpu-mw", &LoadSample::cpu_mw},
    {"memory", &LoadSample::memory_bytes},
};

/// Describes what one GPU did just before at_ns, as its driver reports. A member is absent where
/// the driver does not tell.
struct GpuSample {
  using Field = LoadSample::Field;
  std::int64_t at_ns = 0;
  std::int64_t number = 0;  // the driver's
  Field busy_percent;       // percentage of the time in which it computed
  Field memory_bytes;       // most that was in use since the sample before, by any process
  Field memory_total_bytes;
  Field program;        // 1: a process of the program computes on it
  Field program_bytes;  // that the program's processes hold
  Field exclusive;      // 1: it takes one process at a time
  friend bool operator==(const GpuSample&, const GpuSample&) = default;
};

/// Lists the keys of a GPU in a lap log, in the order of its line.
inline constexpr std::pair<std::string_view, GpuSample::Field GpuSample::*> kGpuFields[] = {
    {"busy", &GpuSample::busy_percent},
    {"memory", &GpuSample::memory_bytes},
    {"of", &GpuSample::memory_total_bytes},
    {"program", &GpuSample::program},
    {"program-memory", &GpuSample::program_bytes},
    {"exclusive", &GpuSample::exclusive},
};

/// Says where time was cut out of a log because the program was suspended: the log's clock stands
/// still at at_ns for length_ns.
struct RemovedPause {
  std::int64_t at_ns = 0;
  std::int64_t length_ns = 0;
  bool with_queue = false;  // a device may have had work, and gone on with it meanwhile
  friend bool operator==(const RemovedPause&, const RemovedPause&) = default;
};

/// Summarises what could not be read in a log; the laps before and after it are kept.
struct Damage {
  std::int64_t lines = 0;         // damaged lines in all
  std::int64_t first_offset = 0;  // byte offset of the first of them
  std::string what;  // of the first: "cut off", "not a number", "time runs backwards"...
  friend bool operator==(const Damage&, const Damage&) = default;
};

/// Holds the most memory that a process had held when its longest batch so far was worked on.
struct SequencePeak {
  std::int64_t length = 0;         // padded, of each sequence of the batch
  std::int64_t process_bytes = 0;  // resident; 0 = not known
  std::int64_t device_bytes = 0;   // by the allocator of its device; 0 = none, or not known
  std::int64_t samples = 0;        // of the batch
  friend bool operator==(const SequencePeak&, const SequencePeak&) = default;
};

/// Lists the keys of a peak in a lap log.
inline constexpr std::pair<std::string_view, std::int64_t SequencePeak::*> kSequenceFields[] = {
    {"samples", &SequencePeak::samples},
    {"process", &SequencePeak::process_bytes},
    {"device", &SequencePeak::device_bytes},
};

/// Holds what a process reported of the lengths of its sequences.
struct SequencesSeen {
  std::vector<SequencePeak> peaks;  // each longer than the one before; all of batches of one size
  std::int64_t most = 0;            // how long a sequence of the data may be; 0 = not known
  std::string most_from = {};       // what says so: "tokenizer.model_max_length"
  bool by_tokens = false;           // lengths are the padded tokens of batches of varying size

  /// Returns the longest length that was seen; 0 without sequences.
  std::int64_t longest() const { return peaks.empty() ? 0 : peaks.back().length; }
  friend bool operator==(const SequencesSeen&, const SequencesSeen&) = default;
};

/// Holds all that one process reported. docs/lap-log.md defines the text.
struct LapLog {
  std::optional<Hello> hello;  // absent: not a lap log, or cut before the end of its first event
  std::optional<TrainingPlan> plan;
  std::vector<Lap> laps;
  std::vector<StageSpan> stages;  // ended ones, in order of their end
  std::vector<ValidationSpan> validations;
  std::vector<EpochSpan> epochs;
  std::vector<MetricPoint> metrics;
  std::vector<LoadSample> loads;      // of the machine, in order of time
  std::vector<GpuSample> gpus;        // likewise, of each GPU that the program sees
  std::vector<RemovedPause> removed;  // in order of time; empty as long as the log has its pauses
  std::vector<std::string> notes;     // for the user, in order, each text once
  std::int64_t device_memory_bytes = 0;  // most that the process held on its device; 0 = not known
  SequencesSeen sequences;               // of the largest batches
  std::string numbers;  // in which the training computes: "fp32", "tf32", "amp"; "" = not known
  std::vector<std::string> phases{""};  // phases[0] is the unnamed phase before any was reported
  std::optional<Damage> damage;
  std::optional<NewBegin> new_begin;  // the last one; merge_ranks() leaves out what was before it
  bool on_device = false;             // a lap was reported before its work had ended, as on a GPU
  bool said_bye = false;              // the process ended by itself and flushed
  std::int64_t last_ns = 0;           // time of the last event
};

/// Calls change() with each time of a log except those of its hello. The end of an epoch that has
/// not ended stays 0.
template <class Change>
void change_times(LapLog& log, Change change) {
  const auto change_both = [&](auto& stretch) {
    change(stretch.begin_ns);
    change(stretch.end_ns);
  };
  for (Lap& lap : log.laps) change_both(lap);
  for (StageSpan& stage : log.stages) change_both(stage.span);
  for (ValidationSpan& validation : log.validations) change_both(validation.span);
  for (EpochSpan& epoch : log.epochs) {
    change(epoch.span.begin_ns);
    if (epoch.ended) change(epoch.span.end_ns);
  }
  for (MetricPoint& metric : log.metrics) change(metric.at_ns);
  for (LoadSample& load : log.loads) change(load.at_ns);
  for (GpuSample& gpu : log.gpus) change(gpu.at_ns);
  if (log.new_begin) change(log.new_begin->at_ns);
  change(log.last_ns);
}

}  // namespace lapcast
