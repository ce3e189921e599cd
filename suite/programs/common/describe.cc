#include "common/describe.h"

#include <sstream>

namespace lapcast::workloads {
namespace {

int64_t numbers_in(const std::vector<at::Tensor>& tensors) {
  int64_t count = 0;
  for (const at::Tensor& tensor : tensors) count += tensor.numel();
  return count;
}

std::string list_text(const std::vector<int64_t>& numbers) {
  std::string text;
  for (const int64_t number : numbers) text += (text.empty() ? "" : ",") + std::to_string(number);
  return "[" + text + "]";
}

/// Returns one layer as JSON. Names are letters, digits, '-', '_' and '.', so nothing is escaped.
std::string layer_text(const LayerSize& layer) {
  std::ostringstream out;
  out << R"({"name":")" << layer.name << R"(","parameters":)" << layer.parameters
      << R"(,"outputs":)" << layer.outputs << R"(,"multiply_adds":)" << layer.multiply_adds
      << R"(,"kept_bytes":)" << list_text(layer.kept) << R"(,"gradient_bytes":)"
      << list_text(layer.gradients) << R"(,"temporary_bytes":)" << layer.temporary << '}';
  return out.str();
}

int64_t state_numbers(const Optimizer& optimizer) {
  int64_t count = 0;
  for (const OptimizerState& row : optimizer.state()) count += numbers_in(row.tensors);
  return count;
}

}  // namespace

std::string describe(const std::string& program, const CommonOptions& options,
                     const Network& network, const Optimizer& optimizer,
                     const std::optional<StepMemory>& steps) {
  std::ostringstream out;
  out << R"({"name":")" << program << R"(","parameters":)" << numbers_in(network.parameters())
      << R"(,"batch":)" << options.batch << R"(,"epochs":)" << options.epochs << R"(,"optimizer":")"
      << optimizer.name() << R"(","optimizer_numbers":)" << state_numbers(optimizer)
      << R"(,"input_numbers":)" << network.input_numbers() << R"(,"layers":[)";
  const char* separator = "";
  for (const LayerSize& layer : network.layers()) {
    out << separator << layer_text(layer);
    separator = ",";
  }
  out << ']';
  if (steps) {
    out << R"(,"step_samples":)" << steps->samples << R"(,"step_bytes":)" << steps->bytes;
  }
  out << '}';
  return out.str();
}

}  // namespace lapcast::workloads
