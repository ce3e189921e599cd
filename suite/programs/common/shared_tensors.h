#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace lapcast::workloads {

/// Holds copies of a list of float tensors in a memory file that several processes map: the same
/// shapes and memory orders, one list behind the other. All processes must make it alike.
class SharedTensors {
 public:
  /// The copies begin at byte `at` of the file, which grows where it must, and are 0 at first.
  /// Throws std::runtime_error when the memory cannot be had, or a tensor is none of floats on the
  /// CPU.
  SharedTensors(int memory, int64_t at, const std::vector<at::Tensor>& like, int64_t copies);
  ~SharedTensors();
  SharedTensors(const SharedTensors&) = delete;
  SharedTensors& operator=(const SharedTensors&) = delete;

  /// Returns the tensors of a copy, in the order of the list.
  const std::vector<at::Tensor>& of(int64_t copy) const;

  /// Returns all numbers of a copy as one row.
  at::Tensor row(int64_t copy) const;

  /// Returns the byte behind the last copy, at a border of pages.
  int64_t end() const { return end_; }

 private:
  int64_t size_ = 0;    // numbers of a copy
  int64_t stride_ = 0;  // from copy to copy
  int64_t end_ = 0;
  int64_t bytes_ = 0;
  float* numbers_ = nullptr;
  std::vector<std::vector<at::Tensor>> copies_;
};

/// Copies the numbers of all tensors.
void copy_tensors(const std::vector<at::Tensor>& from, const std::vector<at::Tensor>& to);

}  // namespace lapcast::workloads
