#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "campaign/executor.h"
#include "campaign/measuring.h"
#include "campaign/repeat_campaign.h"
#include "core/error.h"
#include "stats/intervals.h"

namespace lapcast {

/// Says how programs are repeated.
struct RepeatRequest {
  RepeatRule rule;
  bool again = false;  // begins a new set instead of going on with the stored one
  bool keep = false;   // goes on with that set even though the program's files changed
  std::function<ProbeRequest(RunContext)> start;  // returns how a run is started
  std::string run_parent;                         // folder of the run folders; empty = the default
};

/// Holds the finished runs of a set, those of earlier commands included.
struct RunSet {
  std::string id;
  std::vector<Run> runs;
  std::string reason;  // why there are not more; empty = there are enough
  bool interrupted = false;
};

/// Runs programs to their end, again and again, until their times are known well enough. All runs
/// of one program, settings and machine are one set in the store: what an interrupted command
/// finished counts for the next one.
class RepeatedRuns {
 public:
  RepeatedRuns(RepeatRequest request, const MeasuringTools& tools);

  /// Completes the set of a program. A placeholder {seed} in the program becomes the number of the
  /// run. A run that fails ends the set for this time, with the reason. `subject` is the set's
  /// name.
  RunSet complete(RunContext context, const std::string& subject, const RepeatValue& value);

  /// Runs a program that ends by itself once, in no set, and returns the run whatever comes of it.
  Run once(RunContext context, const std::string& subject);

  ProgressListener& listener() { return tools_.listener; }

 private:
  ProbeRequest request_for(RunContext context) const;
  ProbeRequest request_of_new_run(RunContext context) const;
  std::string key_of(RunContext context) const;

  RepeatRequest request_;
  MeasuringTools tools_;
};

}  // namespace lapcast
