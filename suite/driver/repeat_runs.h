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

struct RepeatRequest {
  RepeatRule rule;
  bool again = false;  // starts a new set instead of continuing the stored one
  bool keep = false;   // continues that set even if the program's files changed
  std::function<ProbeRequest(RunContext)> start;  // returns how to start a run
  std::string run_parent;                         // folder of the run folders; empty = the default
};

/// Holds the finished runs of a set, including those of earlier commands.
struct RunSet {
  std::string id;
  std::vector<Run> runs;
  std::string reason;  // why there are not more; empty = enough
  bool interrupted = false;
};

/// Runs programs to their end repeatedly, until their times are known precisely enough. All runs
/// with the same program, settings and machine are one set in the store: the runs that an
/// interrupted command finished count for the next one.
class RepeatedRuns {
 public:
  RepeatedRuns(RepeatRequest request, const MeasuringTools& tools);

  /// Completes the set of a program. A placeholder {seed} in the program becomes the number of the
  /// run. If a run fails, stops and returns the reason; a later call resumes. `subject` is the
  /// set's name.
  RunSet complete(RunContext context, const std::string& subject, const RepeatValue& value);

  /// Runs a program that ends by itself once, outside of sets. The run may have any outcome.
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
