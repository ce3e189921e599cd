#include "common/memory_exchange.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>

namespace lapcast::workloads {

int64_t Stopwatch::ns() const {
  const auto passed = std::chrono::steady_clock::now() - begin_;
  return std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count();
}

MemoryExchange::MemoryExchange(const Replica& replica, Network& network, Optimizer& optimizer)
    : Exchange(replica, optimizer),
      averages_(network.buffers()),
      shared_averages_(replica.memory, Replica::kTensorsAt, averages_, 1) {}

void MemoryExchange::settle() {
  const bool is_first = replica().share.rank == 0;
  if (is_first) copy_tensors(averages_, shared_averages_.of(0));
  meet();
  if (!is_first) copy_tensors(shared_averages_.of(0), averages_);
  meet();
}

void MemoryExchange::give_gradients(double weight, const std::vector<at::Tensor>& to) {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 0; i < to.size(); ++i) {
    at::Tensor into = to[i];
    at::Tensor parameter = parameters()[i];
    if (weight > 0 && parameter.grad().defined()) {
      at::mul_out(into, parameter.grad(), weight);
    } else {
      into.zero_();
    }
    parameter.mutable_grad().reset();
  }
}

void MemoryExchange::take_gradients(const std::vector<at::Tensor>& from) {
  for (size_t i = 0; i < from.size(); ++i) {
    at::Tensor parameter = parameters()[i];
    parameter.mutable_grad() = from[i];
  }
}

MemoryAllReduce::MemoryAllReduce(const Replica& replica, Network& network, Optimizer& optimizer)
    : MemoryExchange(replica, network, optimizer),
      gradients_(replica.memory, free_at(), parameters(), replica.share.replicas + 1) {}

void MemoryAllReduce::add_up_part() {
  const c10::AutoGradMode no_grad(false);
  const Share& share = replica().share;
  const int64_t all = gradients_.row(0).numel();
  const auto part = [&](int64_t copy) {
    return gradients_.row(copy).narrow(0, share.first_of(all), share.of(all));
  };
  at::Tensor sums = part(share.replicas);
  at::add_out(sums, part(0), part(1));
  for (int64_t rank = 2; rank < share.replicas; ++rank) sums.add_(part(rank));
}

int64_t MemoryAllReduce::exchange_and_step(double weight) {
  const Stopwatch watch;
  const Share& share = replica().share;
  give_gradients(weight, gradients_.of(share.rank));
  meet();  // All gradients are there, and nobody needs the last sums any more.
  tell_wanted();
  add_up_part();
  meet();
  hear_wanted();
  take_gradients(gradients_.of(share.replicas));
  const int64_t ns = watch.ns();
  optimizer().step();
  return ns;
}

}  // namespace lapcast::workloads
