#pragma once

#include <span>

#include "rank/ranking.h"
#include "run/run.h"

namespace lapcast {

/// Returns whether two probes are of the same work on the same hardware, even under different names
/// of machine types and ssh hosts. Containers of one machine have different names, and may hold
/// different software.
bool is_same_work(const RunContext& a, const RunContext& b);

/// Returns the probe of a candidate; nullptr if it is not among the probes.
const Run* probe_of(const Candidate& candidate, std::span<const Run> probes);

}  // namespace lapcast
