#pragma once

#include "common/batches.h"
#include "common/options.h"

namespace lapcast::workloads {

/// Reads both parts of an MNIST folder (options.data) as the programs train on it, within the
/// stages "data-load" and "pre-process". Refuses images of another size than 28x28.
DataParts read_mnist_parts(const CommonOptions& options, c10::Device device);

}  // namespace lapcast::workloads
