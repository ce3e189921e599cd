#pragma once

#include <vector>

#include "accuracy/dropped.h"
#include "accuracy/judgement.h"
#include "accuracy/probe.h"

namespace lapcast::accuracy {

/// Forecasts all probes of one kind, each three times: with the outcomes of the runs of all other
/// submitters, with nothing, and with those of its own submitter. Probes without a forecast of ours
/// are judged as missed, and `missed` counts why.
std::vector<Judgement> judge(const std::vector<Probe>& probes, Dropped& missed);

}  // namespace lapcast::accuracy
