#include "common/optimizer.h"

#include <ATen/Functions.h>
#include <ATen/TensorOperators.h>

#include <algorithm>
#include <stdexcept>

namespace lapcast::workloads {

void Optimizer::zero_grad() {
  for (at::Tensor& p : parameters_) p.mutable_grad().reset();
}

std::vector<at::Tensor> Optimizer::zeros() const {
  std::vector<at::Tensor> all;
  for (const at::Tensor& p : parameters_) all.push_back(at::zeros_like(p).set_requires_grad(false));
  return all;
}

std::vector<at::Tensor> Optimizer::counters() const {
  std::vector<at::Tensor> all;
  for (const at::Tensor& p : parameters_) {
    all.push_back(at::zeros({}, p.options().requires_grad(false)));
  }
  return all;
}

at::Tensor Optimizer::ratio_of(const at::Tensor& norm, const at::Tensor& length,
                               const at::Tensor& other) {
  return at::where(norm.gt(0).logical_and(other.gt(0)), norm / length, at::ones_like(norm));
}

std::vector<at::Tensor> Optimizer::gradients() const {
  std::vector<at::Tensor> all;
  all.reserve(parameters_.size());
  for (const at::Tensor& p : parameters_) {
    const at::Tensor& gradient = p.grad();
    if (!gradient.defined()) throw std::logic_error("a parameter has no gradient");
    const bool alike = gradient.strides() == p.strides();
    all.push_back(alike ? gradient
                        : at::empty_like(p, p.options().requires_grad(false)).copy_(gradient));
  }
  return all;
}

bool Optimizer::are_arrays() const {
  return std::all_of(parameters_.begin(), parameters_.end(), [](const at::Tensor& parameter) {
    return parameter.is_cpu() && parameter.scalar_type() == at::kFloat &&
           parameter.is_non_overlapping_and_dense();
  });
}

}  // namespace lapcast::workloads
