#pragma once

#include <optional>
#include <string>
#include <vector>

#include "probe/probe_request.h"
#include "report/table.h"

namespace lapcast {

/// An offloaded training as it stands.
struct JobRow {
  RunContext context;
  std::string created_at;
  std::string state;                      // "running", "pending: Resources", "lost: ..."
  std::optional<ProbeProgress> progress;  // the last that was heard
  std::optional<Run> run;                 // it ended
};

/// Time and money so far and in the end; bills under the offer that each is paid by.
Table jobs_table(const std::vector<JobRow>& rows);

}  // namespace lapcast
