#pragma once

#include <string>

#include "common/network.h"
#include "common/optimizer.h"
#include "common/options.h"

namespace lapcast::workloads {

/// Returns what --describe prints: the network, its layers and the defaults as one line of JSON,
/// without a newline. suite/docs/workloads.md defines the members.
std::string describe(const std::string& program, const CommonOptions& options,
                     const Network& network, const Optimizer& optimizer);

}  // namespace lapcast::workloads
