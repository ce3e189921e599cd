#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "common/network.h"
#include "common/optimizer.h"
#include "common/options.h"

namespace lapcast::workloads {

/// Holds what a few training steps took of this machine's memory.
struct StepMemory {
  int64_t samples = 0;  ///< in a batch
  int64_t bytes = 0;    ///< resident memory above that before the network was built
};

/// Returns what --describe prints: the network, its layers and the defaults as one line of JSON,
/// without a newline. suite/docs/workloads.md defines the members.
std::string describe(const std::string& program, const CommonOptions& options,
                     const Network& network, const Optimizer& optimizer,
                     const std::optional<StepMemory>& steps = {});

}  // namespace lapcast::workloads
