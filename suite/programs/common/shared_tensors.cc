#include "common/shared_tensors.h"

#include <ATen/Functions.h>
#include <c10/core/GradMode.h>
#include <fcntl.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <string>

namespace lapcast::workloads {
namespace {

constexpr int64_t kPageBytes = 1 << 16;  // the largest of any machine
constexpr int64_t kLine = 16;            // floats of a line of a cache

at::Tensor view_of(float* numbers, const at::Tensor& like) {
  if (!like.is_cpu() || like.scalar_type() != at::kFloat || !like.is_non_overlapping_and_dense()) {
    throw std::runtime_error("replicas share float tensors on the CPU, without gaps, only");
  }
  return at::from_blob(numbers, like.sizes(), like.strides(), at::TensorOptions(at::kFloat));
}

}  // namespace

SharedTensors::SharedTensors(int memory, int64_t at, const std::vector<at::Tensor>& like,
                             int64_t copies) {
  for (const at::Tensor& tensor : like) size_ += tensor.numel();
  stride_ = (size_ + kLine - 1) / kLine * kLine;
  const int64_t wanted = stride_ * copies * static_cast<int64_t>(sizeof(float));
  bytes_ = std::max<int64_t>(1, (wanted + kPageBytes - 1) / kPageBytes) * kPageBytes;
  end_ = at + bytes_;
  void* begin = MAP_FAILED;
  // Others may do the same at the same time; it never makes the file shorter.
  if (fallocate(memory, 0, at, bytes_) == 0) {
    begin =
        mmap(nullptr, static_cast<size_t>(bytes_), PROT_READ | PROT_WRITE, MAP_SHARED, memory, at);
  }
  if (begin == MAP_FAILED) {
    throw std::runtime_error("no memory for the tensors that replicas share: " +
                             std::string(std::strerror(errno)));
  }
  numbers_ = static_cast<float*>(begin);
  for (int64_t copy = 0; copy < copies; ++copy) {
    float* next = numbers_ + copy * stride_;
    auto& tensors = copies_.emplace_back();
    for (const at::Tensor& tensor : like) {
      tensors.push_back(view_of(next, tensor));
      next += tensor.numel();
    }
  }
}

SharedTensors::~SharedTensors() {
  munmap(numbers_, static_cast<size_t>(bytes_));
}

const std::vector<at::Tensor>& SharedTensors::of(int64_t copy) const {
  return copies_[static_cast<size_t>(copy)];
}

at::Tensor SharedTensors::row(int64_t copy) const {
  return at::from_blob(numbers_ + copy * stride_, {size_}, at::TensorOptions(at::kFloat));
}

void copy_tensors(const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& to) {
  const c10::AutoGradMode no_grad(false);
  for (size_t i = 0; i < from.size(); ++i) to[i].copy_(from[i], /*non_blocking=*/true);
}

}  // namespace lapcast::workloads
