#include "common/objective.h"

#include <ATen/Functions.h>

namespace lapcast::workloads {

at::Tensor loss_of(Objective objective, const at::Tensor& outputs, const Batch& batch) {
  const at::Tensor wide = outputs.to(at::kFloat);
  return objective == Objective::kClassify ? at::cross_entropy_loss(wide, batch.labels)
                                           : at::mse_loss(wide, batch.inputs);
}

at::Tensor correct_in(const at::Tensor& logits, const at::Tensor& labels) {
  return logits.detach().argmax(1).eq(labels).sum();
}

}  // namespace lapcast::workloads
