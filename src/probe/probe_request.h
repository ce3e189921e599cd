#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/interval.h"
#include "core/money.h"
#include "core/seconds.h"
#include "machine/place.h"
#include "run/round.h"
#include "run/run.h"

namespace lapcast {

class ProgramView;

/// Says when a probe ends.
struct ProbeLimits {
  double precision = 0.02;    // wanted relative half-width of the steady lap's 95 % interval
  std::int64_t max_laps = 0;  // 0 = no limit
  Seconds budget{60};         // of the whole probe, start-up included; 0 = no limit
  Seconds grace{5};           // between TERM and KILL
  std::int64_t max_log_bytes = 256LL << 20;
  bool to_the_end = false;  // no stopping rule, no budget: the program's own end counts
};

/// Says how much a watched run may take in all; docs/watch.md says when it takes too much.
struct WatchLimits {
  std::optional<Seconds> max_time;
  std::optional<Money> max_cost;  // by the run's own price
  bool stop = true;               // else it is only warned of
};

/// Describes a run to its end that somebody watches.
struct WatchRequest {
  WatchLimits limits;
  ProgramView* view = nullptr;  // used by the supervisor, in its process; nullptr = none
};

/// Says how a program that was cut off goes on from where it was.
struct ResumePlan {
  std::vector<std::string> arguments;  // added to it then; {checkpoint} is the newest checkpoint
  std::string checkpoints = "*";  // pattern of their names in the run folder: "epoch-*/model.pt"
};

struct ProbeRequest {
  RunContext context;
  ProbeLimits limits;
  std::filesystem::path run_parent;  // where its run folder is made; empty = the temporary folder
  bool keep_run_folder = false;
  std::filesystem::path store_file = {};   // written by lapcast itself, also while the program runs
  bool hook = true;                        // put the Python hook on the program's PYTHONPATH
  std::optional<WatchRequest> watch = {};  // then only grace and max_log_bytes of the limits count
  PlaceSetup site = {};                    // where it runs
  std::optional<ResumePlan> resume = {};   // of a run elsewhere; none = it begins anew
  std::filesystem::path inherited_run_dir = {};  // becomes its run folder; empty = an empty one
  int orders_fd =
      -1;  // socket with lines of probe/orders.h, read while the program runs; -1 = none
  std::optional<Round> round = {};  // of a race: the first one; none = it is never suspended
};

/// Holds what is known of a program while it runs.
struct ProbeProgress {
  Seconds elapsed{0};
  std::int64_t laps = 0;
  std::int32_t epoch = 0;
  std::string state;  // "starting", "lap 12: 3.1 % +- , 2 % wanted", "asking for a validation" ...
  // Of a watched run:
  std::int64_t planned_epochs = 0;              // 0 = not known
  double laps_per_second = 0;                   // of the last laps; 0 = not known
  std::optional<Interval<Seconds>> total = {};  // forecast of the whole run's time
};
using ProbeListener = std::function<void(const ProbeProgress&)>;

}  // namespace lapcast
