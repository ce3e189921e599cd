#pragma once

#include "common/batches.h"
#include "data/io_observations.h"

namespace lapcast::workloads {

struct IoTables {
  Table training;
  Table test;
};

/// The observations as a network takes them: every feature transformed by fit_column() of the
/// training part alone, which has mean 0 and deviation 1 afterwards.
IoTables normalised(const IoParts& parts);

}  // namespace lapcast::workloads
