#pragma once

#include <ATen/core/Tensor.h>

#include <functional>

#include "common/batches.h"
#include "common/train.h"

namespace lapcast::workloads {

/// Steps of a classifier that is trained with softmax and cross-entropy.

/// The network: images to one logit per class (count x classes).
using Forward = std::function<at::Tensor(const at::Tensor& images, bool training)>;

/// One iteration: loss (the batch's mean), gradients, then `update`, which applies and clears the
/// gradients. Done when it returns, on a GPU too: it reads the loss back, as Keras does.
Score train_on(const Forward& forward, const std::function<void()>& update, const Batch& batch);

/// Scores a batch without training.
Score validate_on(const Forward& forward, const Batch& batch);

}  // namespace lapcast::workloads
