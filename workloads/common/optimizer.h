#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lapcast::workloads {

/// One row of an optimizer's memory: a tensor for every parameter, in their order.
struct OptimizerState {
  std::string name;  ///< "exp_avg"
  std::vector<at::Tensor> tensors;
};

/// A rule that changes parameters by their gradients. The rules are PyTorch's, under their names;
/// from the same numbers they come to the same numbers.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  virtual const char* name() const = 0;

  /// One step from the gradients, which every parameter must have.
  virtual void step() = 0;

  /// Frees the gradients: backward() then stores new ones without adding.
  void zero_grad();

  /// What a checkpoint keeps. The tensors are handles: whoever writes into them changes the state.
  virtual std::vector<OptimizerState> state() const = 0;

  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  double learning_rate() const { return learning_rate_; }
  void set_learning_rate(double rate) { learning_rate_ = rate; }

 protected:
  /// Takes handles to the parameters, which must be dense float tensors.
  Optimizer(std::vector<at::Tensor> parameters, double learning_rate)
      : parameters_(std::move(parameters)), learning_rate_(learning_rate) {}

  /// A tensor of zeros for every parameter, on its device and in its order in memory.
  std::vector<at::Tensor> zeros() const;

  /// The gradient of every parameter, laid out in memory as the parameter is. Throws
  /// std::logic_error when one has none.
  std::vector<at::Tensor> gradients() const;

  /// Whether a rule can run over the numbers of this parameter, its gradient and its state in one
  /// loop: floats on the CPU, without gaps.
  static bool is_one_array(const at::Tensor& parameter);

 private:
  std::vector<at::Tensor> parameters_;
  double learning_rate_;
};

}  // namespace lapcast::workloads
