#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"
#include "history/live_forecast.h"
#include "machine/place.h"
#include "run/run.h"

namespace lapcast {

class ProgramView;

/// Asks a probe for whole epochs instead of a well-known lap.
struct WholeEpochs {
  std::int64_t count = 2;  // each with the validation that follows it
  /// If true, the budget covers the whole probe; if false, it no longer applies once the first
  /// epoch has started, so that it stops only a program that reports no epochs.
  bool within_budget = false;
};

/// Is a precision that no laps reach, not even identical ones: the other limits end the probe.
inline constexpr double kNoPrecision = 0;

struct ProbeLimits {
  double precision = 0.02;  // wanted relative half-width of the steady lap's 95 % interval
  /// Replaces `precision` for laps that a device runs asynchronously; nothing = StoppingRule's.
  std::optional<double> device_precision = {};
  std::int64_t max_laps = 0;  // 0 = no limit
  Seconds budget{60};         // from the first lap on; 0 = no limit
  Seconds grace{5};           // between TERM and KILL
  std::int64_t max_log_bytes = 256LL << 20;
  std::optional<Seconds> startup = {};  // until the first lap; none = startup_limit()
  /// Bounds the program's main memory, as a share of what is available on its machine when it
  /// starts: it is ended before the system would swap or kill. Nothing = no bound.
  std::optional<double> memory_share = {};
  bool to_the_end = false;  // the program runs to its own end, without stopping rule and budget
  /// Asks for whole epochs; a program that reports none is probed as if none were asked for. Such a
  /// probe has no rounds.
  std::optional<WholeEpochs> epochs = {};

  /// Returns how long the program may take until its first lap: as given, else ten times the
  /// budget. 0 = no limit.
  Seconds startup_limit() const { return startup.value_or(10 * budget); }
};

/// Limits a watched run as a whole; docs/measuring.md says when a limit is exceeded.
struct WatchLimits {
  std::optional<Seconds> max_time;
  std::optional<Money> max_cost;  // at the price in the run's context
  bool stop = true;               // false: only warn about a run above a limit
  /// Ends the program after this time, whatever is forecast: another session goes on from its
  /// checkpoint. None = the run has no session's limit.
  std::optional<Seconds> session = {};
};

/// Says how a program is asked to save a checkpoint: by a signal to its first process, sent only
/// while that process catches it, because it would end the process otherwise.
struct CheckpointSignal {
  int signal = 0;
  Seconds every{0};  // from one request to the next; 0 = only before the program is asked to end
};

/// Describes what a watched run needs besides its probe request.
struct WatchRequest {
  WatchLimits limits;
  std::optional<CheckpointSignal> checkpoint_signal = {};
  /// Shows the program, which then has the user's own stdin; used in the supervisor's process.
  ProgramView* view = nullptr;  // nullptr = none
  PastErrorsFor past_errors;    // corrects the forecasts; is called in the supervisor's process
  Seconds ran_before{0};        // in attempts that were cut off; the limits count it
};

/// Says how a program that was cut off resumes from its newest checkpoint.
struct ResumePlan {
  std::vector<std::string> arguments;  // are added to the program's; {checkpoint} = the checkpoint
  std::string checkpoints = "*";  // pattern of their names in the run folder: "epoch-*/model.pt"
  /// The run is one session of its training: a cut ends it, and another run goes on. False: the run
  /// itself goes on, in another attempt.
  bool in_sessions = false;
};

/// Says what counts as a lap of a program that does not report them: exactly one member is set.
/// Such a program gets no hook and no folder for lap logs.
struct LapSource {
  std::string line =
      {};              // a regular expression of its output lines (LinePattern::of); empty = none
  bool whole = false;  // the whole run is one lap
};

/// Describes a run to make: a probe, or a watched run.
struct ProbeRequest {
  RunContext context;
  ProbeLimits limits;
  std::filesystem::path run_parent;  // where its run folder is made; empty = the temporary folder
  bool keep_run_folder = false;
  std::filesystem::path store_file = {};   // written by lapcast itself, also while the program runs
  bool hook = true;                        // put the Python hook on the program's PYTHONPATH
  std::optional<WatchRequest> watch = {};  // then only grace and max_log_bytes of the limits count
  PlaceSetup place_setup = {};             // where it runs
  std::optional<ResumePlan> resume = {};   // of a remote run; none = it starts anew
  std::filesystem::path inherited_run_dir = {};  // becomes its run folder; empty = an empty one
  /// Names a socket from which lines of probe/orders.h are read while the program runs; -1 = none.
  int orders_fd = -1;
  std::optional<Round> round = {};  // the first round; none = it is never suspended
  bool no_wait = false;             // measure even while another lapcast measures on its CPUs
  std::optional<LapSource> lap_source = {};  // none: the program reports its laps
  /// Asks a remote machine to send what it measured so far this often, because the machine may
  /// vanish with all that is on it, as rented ones do; none = only what the run needs anyway.
  std::optional<Seconds> save_every = {};

  /// Returns whether the run goes on by itself, in another attempt, after it was cut off.
  bool goes_on_by_itself() const { return resume && !resume->in_sessions; }
};

/// Says what is known of a running program.
struct ProbeProgress {
  Seconds elapsed{0};
  std::int64_t laps = 0;
  std::int32_t epoch = 0;
  std::string
      state;  // "starting", "enough laps; a short validation", "epoch 3 of 20, lap 1207" ...
  bool waits = false;  // for CPUs that others measure on, or in a queue
  // Only a watched run has the members that follow.
  std::int64_t planned_epochs = 0;              // 0 = not known
  double laps_per_second = 0;                   // of the last laps; 0 = not known
  std::optional<Interval<Seconds>> total = {};  // forecast of the whole run's time
  std::vector<GpuSample> gpus = {};             // the newest of each GPU; empty = none is known
};
using ProbeListener = std::function<void(const ProbeProgress&)>;

}  // namespace lapcast
