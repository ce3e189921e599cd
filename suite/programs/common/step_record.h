#pragma once

#include <filesystem>

#include "common/batches.h"
#include "common/network.h"
#include "common/objective.h"
#include "common/optimizer.h"

namespace lapcast::workloads {

/// Trains on one batch in fp32 and writes everything that another implementation needs to repeat
/// and compare the step. The file is a dictionary of tensors for torch.load() with `inputs`,
/// `labels`, `outputs`, `loss`, with `before.NAME`, `gradient.NAME` and `after.NAME` for every
/// parameter, and with `before.NAME` and `after.NAME` for every buffer. Throws std::runtime_error
/// when the file cannot be written.
void write_step(const std::filesystem::path& file, Network& network, Optimizer& optimizer,
                Objective objective, const Batch& batch);

}  // namespace lapcast::workloads
