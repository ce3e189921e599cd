#pragma once

#include <ATen/core/Tensor.h>

#include "common/batches.h"

namespace lapcast::workloads {

/// Names what a network learns.
enum class Objective {
  kClassify,     ///< the label: softmax and cross-entropy over its logits
  kEachClass,    ///< the label: a sigmoid and binary cross-entropy for each class, and their mean
  kReconstruct,  ///< its own input: the mean of the squared errors
};

/// Returns whether the outputs are one logit for each class, so that correct answers are counted.
inline bool is_classifier(Objective objective) {
  return objective != Objective::kReconstruct;
}

/// Returns the mean loss of the batch in fp32, ready for backward().
at::Tensor loss_of(Objective objective, const at::Tensor& outputs, const Batch& batch);

/// Returns how many samples the logits classify correctly: one number, on the device of the logits.
at::Tensor correct_in(const at::Tensor& logits, const at::Tensor& labels);

}  // namespace lapcast::workloads
