#pragma once

#include <ATen/core/Tensor.h>

#include "common/batches.h"

namespace lapcast::workloads {

/// What a network learns.
enum class Objective {
  kClassify,     ///< the label: softmax and cross-entropy over its logits
  kReconstruct,  ///< its own input: the mean of the squared errors
};

/// The batch's mean loss, in fp32, to be differentiated.
at::Tensor loss_of(Objective objective, const at::Tensor& outputs, const Batch& batch);

/// How many samples of the batch the logits classify right: one number, where the logits live.
at::Tensor correct_in(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace lapcast::workloads
