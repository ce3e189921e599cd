#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "probe/request.h"
#include "remote/remote_run.h"

namespace lapcast {

/// Makes the run of one node.
using RunOfNode = std::function<std::unique_ptr<RemoteRun>(const ProbeRequest&)>;

/// Returns what each node is asked to run: the program of the request with {nodes}, {node} (0 is
/// the head) and {head} (its host) filled in. The head decides when there are enough laps; the
/// others go on until it has ended, and for at most twice its budget.
std::vector<ProbeRequest> requests_of_nodes(const ProbeRequest& request);

/// Returns the run of nodes as one: the head's, with the lap logs of the others. When the first of
/// them failed, the outcome says which and how.
Run merge_nodes(const std::vector<ProbeRequest>& requests, std::vector<Run> runs,
                std::size_t first_ended);

/// Returns a run on all nodes of a place without a queue, one start on each. If one node fails, all
/// are ended, and the outcome names it.
std::unique_ptr<RemoteRun> nodes_run(const ProbeRequest& request, const RunOfNode& make);

}  // namespace lapcast
