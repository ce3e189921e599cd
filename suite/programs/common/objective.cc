#include "common/objective.h"

#include <ATen/Functions.h>

namespace lapcast::workloads {

at::Tensor loss_of(Objective objective, const at::Tensor& outputs, const Batch& batch) {
  const at::Tensor wide = outputs.to(at::kFloat);
  switch (objective) {
    case Objective::kClassify:
      return at::cross_entropy_loss(wide, batch.labels);
    case Objective::kEachClass:
      return at::binary_cross_entropy_with_logits(
          wide, at::one_hot(batch.labels, wide.size(1)).to(at::kFloat));
    default:
      return at::mse_loss(wide, batch.inputs);
  }
}

at::Tensor correct_in(const at::Tensor& logits, const at::Tensor& labels) {
  return logits.detach().argmax(1).eq(labels).sum();
}

}  // namespace lapcast::workloads
