#include "common/describe.h"

#include <sstream>

namespace lapcast::workloads {
namespace {

int64_t numbers_in(const std::vector<at::Tensor>& tensors) {
  int64_t count = 0;
  for (const at::Tensor& tensor : tensors) count += tensor.numel();
  return count;
}

/// Returns one layer as JSON. Names are letters, digits, '-', '_' and '.', so nothing is escaped.
std::string layer_text(const LayerSize& layer) {
  std::ostringstream out;
  out << R"({"name":")" << layer.name << R"(","parameters":)" << layer.parameters
      << R"(,"outputs":)" << layer.outputs << R"(,"multiply_adds":)" << layer.multiply_adds << '}';
  return out.str();
}

}  // namespace

std::string describe(const std::string& program, const CommonOptions& options,
                     const Network& network, const Optimizer& optimizer) {
  std::ostringstream out;
  out << R"({"name":")" << program << R"(","parameters":)" << numbers_in(network.parameters())
      << R"(,"batch":)" << options.batch << R"(,"epochs":)" << options.epochs << R"(,"optimizer":")"
      << optimizer.name() << R"(","layers":[)";
  const char* separator = "";
  for (const LayerSize& layer : network.layers()) {
    out << separator << layer_text(layer);
    separator = ",";
  }
  out << "]}";
  return out.str();
}

}  // namespace lapcast::workloads
