#pragma once

#include <filesystem>

#include "common/batches.h"
#include "common/network.h"
#include "common/objective.h"
#include "common/optimizer.h"

namespace lapcast::workloads {

/// Trains on one batch, in fp32, and writes down all that another implementation needs to do the
/// same and to compare: a dictionary of tensors for torch.load() with `inputs`, `labels`, `outputs`,
/// `loss`, and for every parameter `before.NAME`, `gradient.NAME` and `after.NAME`; for every buffer
/// `before.NAME` and `after.NAME`. Throws std::runtime_error when the file cannot be written.
void write_step(const std::filesystem::path& file, Network& network, Optimizer& optimizer,
                Objective objective, const Batch& batch);

}  // namespace lapcast::workloads
