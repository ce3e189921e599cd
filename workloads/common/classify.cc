#include "common/classify.h"

#include <ATen/Functions.h>
#include <c10/core/InferenceMode.h>

namespace lapcast::workloads {
namespace {

Score score_of(const at::Tensor& logits, const at::Tensor& loss, const Batch& batch) {
  const int64_t samples = batch.labels.size(0);
  const at::Tensor right = logits.detach().argmax(1).eq(batch.labels).sum();
  return {loss.item<double>() * static_cast<double>(samples), right.item<int64_t>(), samples};
}

}  // namespace

Score train_on(const Forward& forward, const std::function<void()>& update, const Batch& batch) {
  const at::Tensor logits = forward(batch.images, true);
  const at::Tensor loss = at::cross_entropy_loss(logits, batch.labels);
  loss.backward();
  update();
  return score_of(logits, loss, batch);
}

Score validate_on(const Forward& forward, const Batch& batch) {
  const c10::InferenceMode no_gradients;
  const at::Tensor logits = forward(batch.images, false);
  return score_of(logits, at::cross_entropy_loss(logits, batch.labels), batch);
}

}  // namespace lapcast::workloads
