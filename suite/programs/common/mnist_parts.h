#pragma once

#include "common/batches.h"
#include "common/options.h"

namespace lapcast::workloads {

/// Reads both parts of the MNIST folder options.data within the stages "data-load" and
/// "pre-process". Throws FileError for images that are not 28x28.
DataParts read_mnist_parts(const CommonOptions& options, c10::Device device);

}  // namespace lapcast::workloads
