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

/// What is done of a sweep: names of candidates with a run of that kind that counts. An interrupted
/// run does not; a failed one only when failures are not to be tried again.
std::set<std::string> finished_candidates(const std::vector<Run>& runs, RunKind kind,
                                          bool retry_failed);

/// The probes that are left of `candidates`, in an order that depends on the sweep's id only. One
/// that is under way elsewhere keeps the run id of its errand, so that it is followed, not
/// repeated.
std::vector<ProbeRequest> remaining(const std::vector<RunContext>& candidates, const Sweep& sweep,
                                    const std::set<std::string>& done,
                                    const std::vector<PendingRun>& pending_runs,
                                    const std::function<ProbeRequest(RunContext)>& request);

/// What holds of each candidate: its newest run of a kind, an interrupted one only when there is no
/// other.
std::vector<Run> newest_of_each(std::vector<Run> runs);

/// Returns the candidates whose probes are the first `count` by forecast time or by forecast cost,
/// as far as they were probed once only. A stored run only says how good its candidate is: what is
/// started is always one of `candidates`. `forecast` is called for each probe.
std::vector<RunContext> to_confirm(const std::vector<RunContext>& candidates,
                                   const std::vector<Run>& runs, std::size_t count,
                                   const std::function<Assessment(const Run&)>& forecast);

}  // namespace lapcast
