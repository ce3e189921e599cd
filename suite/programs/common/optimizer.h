#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

namespace lapcast::workloads {

/// Holds one part of an optimizer's state: a tensor for every parameter, in their order.
struct OptimizerState {
  std::string name;  ///< "exp_avg"
  std::vector<at::Tensor> tensors;
};

/// Changes parameters by their gradients. The rules are those of PyTorch under the same names and
/// give the same numbers.
class Optimizer {
 public:
  virtual ~Optimizer() = default;

  virtual const char* name() const = 0;

  /// Makes one step. Every parameter must have a gradient.
  virtual void step() = 0;

  /// Frees the gradients, so that backward() stores new ones instead of adding to them.
  void zero_grad();

  /// Returns what a checkpoint keeps. The tensors are handles: writing into them changes the state.
  virtual std::vector<OptimizerState> state() const = 0;

  const std::vector<at::Tensor>& parameters() const { return parameters_; }
  double learning_rate() const { return learning_rate_; }
  void set_learning_rate(double rate) { learning_rate_ = rate; }

  /// Sets which share of the learning rate the next step takes, 0 to 1: a warm-up (schedule.h).
  void set_warm_up(double share) { warm_up_ = share; }

 protected:
  /// Keeps handles to the parameters, which must be dense float tensors.
  Optimizer(std::vector<at::Tensor> parameters, double learning_rate)
      : parameters_(std::move(parameters)), learning_rate_(learning_rate) {}

  double step_rate() const { return learning_rate_ * warm_up_; }

  /// Returns a tensor of zeros for every parameter, with its device and memory order.
  std::vector<at::Tensor> zeros() const;

  /// Returns one 0 for every parameter, on its device.
  std::vector<at::Tensor> counters() const;

  /// Returns norm / length, but 1 where the norm or the other one is 0. All are single numbers, as
  /// is the result.
  static at::Tensor ratio_of(const at::Tensor& norm, const at::Tensor& length,
                             const at::Tensor& other);

  /// Returns the gradient of every parameter in the parameter's memory order. Throws
  /// std::logic_error when a parameter has none.
  std::vector<at::Tensor> gradients() const;

  /// Returns whether one loop can run over the numbers of each parameter, its gradient and its
  /// state: floats on the CPU without gaps.
  bool are_arrays() const;

 private:
  std::vector<at::Tensor> parameters_;
  double learning_rate_;
  double warm_up_ = 1;
};

}  // namespace lapcast::workloads
