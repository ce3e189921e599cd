#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "lap/lap_log.h"
#include "lap/later_ends.h"

namespace lapcast {

/// Says when a run took place, on the monotonic clock of the machine `host`.
struct RunWindow {
  MonotonicNs begin_ns = 0;
  MonotonicNs end_ns = 0;
  std::string host;
};

/// Builds a LapLog from events in the order of their lines. `at` is nanoseconds since the hello.
/// Each event is either taken, or refused with a short reason and then has no effect.
class LapLogBuilder {
 public:
  using Problem = const char*;  // a literal; nullptr: the event was taken
  static constexpr char kAfterTheRun[] = "a time after the end of the run";
  static constexpr char kValidationAgain[] = "a validation begins before the last has ended";
  static constexpr std::int64_t kClockToleranceNs = 100'000'000;  // between a run and its log

  /// Refuses events that cannot have happened in the run: those later than its end, measured from
  /// the hello if that has the run's clock (a log of the same host), else from the begin of the
  /// run. Later calls may move the end.
  void set_window(const RunWindow& window);

  /// Takes a hello. A second one is a problem, and nothing after it can be placed in time:
  /// is_over().
  Problem hello(Hello hello);
  Problem plan(std::int64_t at, const TrainingPlan& plan);
  Problem finished_iteration(std::int64_t at, std::int32_t samples) {
    return iteration(at, samples, true);
  }
  /// Takes an iteration that shares a time with the one after it.
  Problem shared_iteration(std::int64_t at, std::int32_t samples) {
    const Problem problem = iteration(at, samples, true);
    if (problem == nullptr) log_.laps.back().shared = true;
    return problem;
  }
  /// Takes an iteration whose work was only queued on a device.
  Problem queued_iteration(std::int64_t at, std::int32_t samples) {
    return iteration(at, samples, false);
  }
  /// Takes the end of lap number `lap`, counted from 1, which became known after its line.
  Problem ended(std::int64_t at, std::int64_t lap, std::int64_t end_ns);
  Problem stage_begin(std::int64_t at, std::string_view name);
  Problem stage_end(std::int64_t at, std::string_view name) { return end_stage(at, name, 0); }
  Problem checkpoint_begin(std::int64_t at) { return stage_begin(at, "checkpoint"); }
  Problem checkpoint_end(std::int64_t at, std::int64_t bytes) {
    return end_stage(at, "checkpoint", bytes);
  }
  Problem epoch_begin(std::int64_t at, std::int32_t epoch);
  Problem epoch_end(std::int64_t at, std::int32_t epoch);
  /// Begins a validation. When the last one has not ended, replaces it, but returns a problem.
  Problem validation_begin(std::int64_t at);
  Problem validation_end(std::int64_t at, std::int64_t samples);
  Problem metric(std::int64_t at, std::string_view name, double value);
  Problem phase(std::int64_t at, std::string_view name);
  Problem note(std::int64_t at, std::string_view text);
  Problem device_memory(std::int64_t at, std::int64_t bytes);
  /// Takes the one peak of a longer batch, and how long a sequence may be. A peak of smaller
  /// batches than those before has no effect; one of larger batches, of a length that is not
  /// longer, or the first one of tokens, after which only tokens count, begins anew.
  Problem sequence(std::int64_t at, SequencesSeen newest);
  Problem numbers(std::int64_t at, std::string_view name);
  Problem load(const LoadSample& load);
  Problem gpu(const GpuSample& gpu);
  /// Takes the begin of a training for which all laps, epochs and validations before do not count.
  Problem begin_anew(std::int64_t at);
  Problem bye(std::int64_t at);

  /// Takes the plain lines of iterations and their ends that `bytes` begins with: the common case,
  /// fast. Returns how many bytes they had; 0 does not mean that anything is wrong.
  std::size_t take_iterations(std::string_view bytes);

  bool is_over() const { return over_; }
  LapLog& log() { return log_; }
  /// Returns the log after putting in order all that follows a lap whose end became known later.
  LapLog& settled() {
    ends_.settle(log_);
    return log_;
  }

 private:
  struct OpenStage {
    std::string name;
    std::int64_t begin_ns;
    std::int64_t laps_before;
  };

  /// Takes the plain lines of iterations that `bytes` begins with.
  std::size_t take_row(std::string_view bytes);
  Problem refused(std::int64_t at) const;
  Problem iteration(std::int64_t at, std::int32_t samples, bool finished);
  Problem end_stage(std::int64_t at, std::string_view name, std::int64_t bytes);
  void happened(std::int64_t at);
  void find_latest();
  std::int64_t laps() const { return static_cast<std::int64_t>(log_.laps.size()); }

  LapLog log_;
  std::optional<RunWindow> window_;
  std::int64_t latest_ns_ = INT64_MAX;  // of an event, since the hello
  LaterEnds ends_;
  Lap next_;  // begin, index, epoch and phase of the lap that runs
  bool epoch_open_ = false;
  bool over_ = false;
  std::vector<OpenStage> open_stages_;
  std::optional<ValidationSpan> open_validation_;
  std::unordered_map<std::string, std::int16_t> phase_numbers_;
};

/// Reads one line after the version line, without its '\n', into the log. Returns what is wrong
/// with it in a few words, a literal; nullptr when it was read, or skipped because its kind is not
/// known.
LapLogBuilder::Problem read_lap_line(std::string_view line, LapLogBuilder& log);

/// Returns whether the laps of a log need this line: a hello, or an iteration or its end, of usual
/// length.
bool is_needed_for_laps(std::string_view line);

}  // namespace lapcast
