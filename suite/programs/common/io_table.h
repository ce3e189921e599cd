#pragma once

#include "common/batches.h"
#include "data/io_observations.h"

namespace lapcast::workloads {

struct IoTables {
  Table training;
  Table test;
};

/// Returns the observations as a network takes them. Every feature is transformed by fit_column()
/// of the training part alone, which then has mean 0 and standard deviation 1.
IoTables normalised(const IoParts& parts);

}  // namespace lapcast::workloads
