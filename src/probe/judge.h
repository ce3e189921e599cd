#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/seconds.h"
#include "probe/lap_folder.h"
#include "probe/probe_request.h"
#include "run/run.h"

namespace lapcast {

/// Looks at a run while it goes on, and says when it is to be stopped.
class Judge {
 public:
  virtual ~Judge() = default;
  /// At every tick of the supervisor. any_new: the laps have grown since the last one. An outcome
  /// ends the program.
  virtual std::optional<Outcome> look(LapFolder& laps, bool any_new, Seconds elapsed) = 0;
  /// Adds what it has found out.
  virtual void describe(const LapFolder& laps, ProbeProgress& progress) const = 0;
  /// What it wants to have said to the user now; each once.
  virtual std::vector<std::string> take_warnings() { return {}; }
  /// After the end: what is to be kept.
  virtual void finish(Run&) const {}
};

/// Fills in what a log says of laps and epoch.
void describe_laps(const LapLog& log, ProbeProgress& progress);

/// The judge that a request asks for, of a program that was started at started_ns.
std::unique_ptr<Judge> judge_for(const ProbeRequest& request, MonotonicNs started_ns);

/// A run without laps: what went wrong, what an observer within the program noted, and how laps are
/// reported.
Outcome no_laps(std::string why, const LapLog& log);

}  // namespace lapcast
