#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/probe_request.h"
#include "report/table.h"

namespace lapcast {

/// Holds an offloaded training and its state.
struct JobRow {
  RunContext context;
  std::string created_at;
  std::string state;                      // "running", "pending: Resources", "lost: ..."
  std::optional<ProbeProgress> progress;  // the last that was reported
  std::optional<Run> run;                 // when it has ended
};

/// Returns time and money so far and in the end; each bill is under the offer of its training.
Table jobs_table(const std::vector<JobRow>& rows);

}  // namespace lapcast
