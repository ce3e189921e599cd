#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "lap/lap_log.h"
#include "posix/files.h"
#include "probe/gpu_sampler.h"
#include "probe/processes.h"
#include "probe/rapl_meter.h"
#include "run/run.h"

namespace lapcast {

struct SampledProgram {
  std::vector<int> cpus;             // that it may use
  std::vector<std::string> cgroups;  // directories whose quotas it is under
  std::function<std::vector<pid_t>()> processes = descendants;
  std::optional<std::string> gpus = {};  // as in CUDA_VISIBLE_DEVICES; none = it has no GPU
};

/// Samples a machine's load while a program runs, a few times a second, and writes it into a lap
/// log of its own beside the program's. Samples take at most 1/2000 of the time: a slow one delays
/// the next. After a long time they come less often, so that their number grows with the logarithm
/// of the time. Values that the system does not provide are absent.
class LoadSampler {
 public:
  /// Limits the threads whose waits are read; the others are counted as left out.
  static constexpr std::size_t kMostThreads = 256;

  /// Begins at the hello's clock, when the program has just been started. `file` is created with
  /// the first sample; if that fails, nothing is written. `root` is put before every path of /proc
  /// and /sys, for tests.
  LoadSampler(SampledProgram program, Hello hello, std::filesystem::path file,
              std::string root = "");

  /// Takes a sample of the time since the last one if one is due; in between, samples only the
  /// GPUs.
  void look(MonotonicNs now);
  /// Takes a sample even if none is due, as at the end of the run and before a pause.
  void sample(MonotonicNs now) { take(now, true); }
  /// Starts anew, as after a pause: what happened since the last sample is not counted.
  void restart(MonotonicNs now);
  /// Ends the helper process of the GPU samples, so that only the program's processes are left.
  void end_helper() { gpu_.reset(); }
  /// Returns the samples of the last minutes, with times since the hello.
  const std::vector<LoadSample>& samples() const { return samples_; }
  /// Returns the GPU samples of the same time.
  const std::vector<GpuSample>& gpus() const { return gpus_; }
  /// Returns the newest sample of each GPU; none where there is no GPU.
  const std::vector<GpuSample>& newest_gpus() const { return newest_gpus_; }

 private:
  using Field = LoadSample::Field;
  struct Thread {
    FileDescriptor schedstat;
    std::int64_t run_ns = 0;
    std::int64_t delay_ns = 0;
  };
  /// Holds cumulative counters.
  struct Counters {
    Field busy_ns, steal_ns, throttled_ns, cpu_stall_ns, memory_stall_ns, io_stall_ns;
    Field swapped_bytes;
  };

  Counters read_counters() const;
  void find_processes();
  void count_workers();
  void find_threads();
  void add_threads_of(pid_t process);
  void read_threads(LoadSample& sample);
  bool is_other(pid_t process) const;
  Field mean_mhz() const;
  Field resident_bytes() const;
  void take(MonotonicNs now, bool with_processes);
  void count(MonotonicNs now);
  void take_gpus(LoadSample& load);
  std::string lines_of_gpus(std::int64_t at_ns);
  void look_at_gpus(MonotonicNs now);
  void write(const std::string& lines);

  SampledProgram program_;
  std::string root_;
  Hello hello_;
  Counters before_;
  std::map<pid_t, Thread> threads_;
  std::vector<pid_t> processes_;
  std::int64_t workers_ = 0;  // of these processes
  std::optional<GpuSampler> gpu_;
  RaplMeter rapl_;
  std::size_t left_out_ = 0;
  std::size_t looks_ = 0;
  MonotonicNs last_ns_ = 0;
  MonotonicNs due_ns_ = 0;
  std::vector<LoadSample> samples_;
  std::vector<GpuSample> gpus_;
  std::vector<GpuSample> newest_gpus_;
  std::vector<GpuSample> unwritten_gpus_;
  MonotonicNs last_gpus_ns_ = 0;
  std::int64_t gpus_due_ns_ = 0;  // when they are written next, since the hello
  std::filesystem::path folder_;
  std::filesystem::path file_;  // empty once it is open
  FileDescriptor log_;
};

/// Returns a sampler for a run whose program has just been started: for the CPUs of its machine
/// type, else those that lapcast may use, and for the quotas of this cgroup directory (empty =
/// none) and of lapcast itself. Its log is in the lap folder. Returns nothing if
/// LAPCAST_LOAD_SAMPLES=off is set.
std::optional<LoadSampler> load_sampler_of(const Run& run, const std::string& quota_directory,
                                           const std::filesystem::path& lap_folder);

}  // namespace lapcast
