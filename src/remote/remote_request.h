#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"
#include "probe/probe_request.h"
#include "run/run.h"

namespace lapcast {

/// All that a machine elsewhere has to know to run a probe.
struct RemoteRequest {
  ProbeRequest probe;
  /// Folder below FOLDER/work that the program was sent into; empty = it runs in
  /// probe.context.working_dir, which is there too.
  std::string work = {};
  std::string content = {};  // which state of the program's folder was sent there
  std::vector<PreparationStep> preparation = {};  // what was done for it so far
  std::vector<std::string> warnings = {};         // what the run's own warnings begin with
};

/// As one line of JSON without its line break: "format": "lapcast-request", "version": 1, "run" as
/// in run_json.h for the context, the preparation and the warnings. run_parent, store_file and watch->view are of
/// this machine and are left out.
std::string to_json_line(const RemoteRequest& request);

/// The request of such a line of any bytes; a member that is missing, of another type or out of
/// range is refused with a reason that names it.
Result<RemoteRequest> remote_request_from_json(std::string_view line);

}  // namespace lapcast
