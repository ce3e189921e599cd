#pragma once

#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/judgement.h"
#include "accuracy/probe.h"

namespace lapcast::accuracy {

/// Forecasts of all probes of one kind, each three times: with what came of the runs of all other
/// submitters, with nothing, and with that of its own submitter's. Where ours says nothing it is
/// counted in `dropped`.
std::vector<Judgement> judge(const std::vector<Probe>& probes, Dropped& dropped);

}  // namespace lapcast::accuracy
