#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/error.h"
#include "probe/request.h"
#include "run/run.h"

namespace lapcast {

/// Holds all that a remote machine needs to know to run a probe.
struct RemoteRequest {
  ProbeRequest probe;
  /// Names the folder below FOLDER/work that the program was sent into. When it is empty, the
  /// program runs in probe.context.working_dir, which that machine has too.
  std::string work = {};
  std::string content = {};                       // which state of the program's folder was sent
  std::vector<PreparationStep> preparation = {};  // what was done for it so far
  std::vector<std::string> warnings = {};         // put before the run's own warnings
  /// Holds the command that the user typed, without secrets, until the run is known to have begun.
  /// It is kept only in the store.
  std::string typed = {};
};

/// Returns one line of JSON without its line break: "format": "lapcast-request", "version": 1,
/// "run" as in run_json.h for the context, the preparation and the warnings. Leaves out what
/// belongs to this machine: run_parent, store_file and watch->view.
std::string to_json_line(const RemoteRequest& request);

/// Reads such a line of any bytes. The Reason names a member that is missing, of another type or
/// out of range.
Result<RemoteRequest> remote_request_from_json(std::string_view line);

}  // namespace lapcast
