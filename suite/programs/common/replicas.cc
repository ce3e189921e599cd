#include "common/replicas.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

#include <utility>

#include "common/parallel.h"
#include "common/precision.h"
#include "common/random.h"
#include "common/share.h"

namespace lapcast::workloads {
namespace {

DeviceScore score_of(Objective objective, const at::Tensor& outputs, const at::Tensor& loss,
                     const Batch& batch) {
  DeviceScore score{loss.detach() * batch.inputs.size(0), {}};
  if (is_classifier(objective)) score.correct = correct_in(outputs, batch.labels);
  return score;
}

Batch share_of(const Batch& batch, size_t share, size_t shares, c10::Device device) {
  const int64_t count = batch.inputs.size(0);
  const Share part{static_cast<int64_t>(share), static_cast<int64_t>(shares)};
  const int64_t first = part.first_of(count), size = part.of(count);
  return {batch.inputs.narrow(0, first, size).to(device),
          batch.labels.narrow(0, first, size).to(device)};
}

void copy_all(const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& to) {
  for (size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i], /*non_blocking=*/true);
}

}  // namespace

Replicas::Replicas(const std::function<std::shared_ptr<Network>()>& make,
                   std::vector<c10::Device> devices, Objective objective, bool bf16)
    : devices_(std::move(devices)), objective_(objective), bf16_(bf16) {
  for (const c10::Device device : devices_) {
    networks_.push_back(make());
    networks_.back()->to(device);
  }
  broadcast();
}

DeviceScore Replicas::backward(size_t replica, const Batch& share, double weight) {
  at::Tensor outputs, loss;
  {
    const MixedPrecision precision(bf16_, devices_[replica].type());
    outputs = networks_[replica]->forward(share.inputs, true);
    loss = loss_of(objective_, outputs, share);
  }
  (weight == 1 ? loss : loss * weight).backward();
  return score_of(objective_, outputs, loss, share);
}

DeviceScore Replicas::add_gradients(const Batch& batch) {
  const int64_t count = batch.inputs.size(0);
  const size_t shares = count < static_cast<int64_t>(networks_.size()) ? 1 : networks_.size();
  if (shares == 1) return backward(0, batch, 1);
  std::vector<DeviceScore> scores(shares);
  const auto work_on = [&](size_t i) {
    const Batch share = share_of(batch, i, shares, devices_[i]);
    const auto size = static_cast<double>(share.inputs.size(0));
    scores[i] = backward(i, share, size / static_cast<double>(count));
  };
  for_each_in_parallel(shares, static_cast<int>(shares), [&] { return work_on; });
  collect_gradients(shares);
  DeviceScore all = scores[0];
  for (size_t i = 1; i < shares; ++i) {
    all.loss_sum = all.loss_sum + scores[i].loss_sum.to(devices_[0]);
    if (all.correct.defined()) all.correct = all.correct + scores[i].correct.to(devices_[0]);
  }
  return all;
}

void Replicas::collect_gradients(size_t replicas) {
  const c10::AutoGradMode no_grad(false);
  const std::vector<at::Tensor> first = networks_[0]->parameters();
  for (size_t replica = 1; replica < replicas; ++replica) {
    const std::vector<at::Tensor> other = networks_[replica]->parameters();
    for (size_t i = 0; i < first.size(); ++i) {
      first[i].grad().add_(other[i].grad().to(devices_[0]));
      other[i].mutable_grad().reset();
    }
  }
}

DeviceScore Replicas::validate(const Batch& batch) {
  const c10::InferenceMode no_gradients;
  const MixedPrecision precision(bf16_, devices_[0].type());
  const at::Tensor outputs = networks_[0]->forward(batch.inputs, false);
  return score_of(objective_, outputs, loss_of(objective_, outputs, batch), batch);
}

void Replicas::broadcast() {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 1; i < networks_.size(); ++i) {
    copy_all(networks_[0]->parameters(), networks_[i]->parameters());
    copy_all(networks_[0]->buffers(), networks_[i]->buffers());
  }
}

void Replicas::seed_dropout(uint64_t seed) {
  for (size_t i = 0; i < networks_.size(); ++i) {
    networks_[i]->seed_dropout(i == 0 ? seed : mix_seeds(seed, i));
  }
}

}  // namespace lapcast::workloads
