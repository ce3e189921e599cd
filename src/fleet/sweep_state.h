#pragma once

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include "choose/assessment.h"
#include "probe/probe_request.h"
#include "store/store.h"

namespace lapcast {

/// Returns the names of the candidates that are done: those with a run of that kind that counts. An
/// interrupted run does not count; a failed one only when failures are not to be tried again.
std::set<std::string> finished_candidates(const std::vector<Run>& runs, RunKind kind,
                                          bool retry_failed);

/// Returns the probes that are left of `candidates`, in an order that depends on the sweep's id
/// only. A probe that is under way on a remote machine keeps the run id of its pending run, so that
/// it is followed, not repeated.
std::vector<ProbeRequest> remaining(const std::vector<RunContext>& candidates, const Sweep& sweep,
                                    const std::set<std::string>& done,
                                    const std::vector<PendingRun>& pending_runs,
                                    const std::function<ProbeRequest(RunContext)>& request);

/// Returns the newest run of each candidate and kind, an interrupted one only when there is no
/// other.
std::vector<Run> newest_of_each(std::vector<Run> runs);

/// Returns the candidates whose probes are the first `count` by forecast time or by forecast cost,
/// as far as they were probed once only. A stored run only says how good its candidate is: what is
/// started is always one of `candidates`. `forecast` is called for each probe.
std::vector<RunContext> to_confirm(const std::vector<RunContext>& candidates,
                                   const std::vector<Run>& runs, std::size_t count,
                                   const std::function<Assessment(const Run&)>& forecast);

}  // namespace lapcast
