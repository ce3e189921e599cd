#include "common/step_record.h"

#include <ATen/Functions.h>

#include "common/tensor_file.h"

namespace lapcast::workloads {
namespace {

void add_weights(const std::string& when, const Network& network, NamedTensors& tensors) {
  for (const auto& parameter : network.named_parameters()) {
    tensors[when + "." + parameter.key()] = parameter.value().detach().clone();
  }
  for (const auto& buffer : network.named_buffers()) {
    tensors[when + "." + buffer.key()] = buffer.value().clone();
  }
}

}  // namespace

void write_step(const std::filesystem::path& file, Network& network, Optimizer& optimizer,
                Objective objective, const Batch& batch) {
  NamedTensors tensors{{"inputs", batch.inputs}, {"labels", batch.labels}};
  add_weights("before", network, tensors);
  const at::Tensor outputs = network.forward(batch.inputs, true);
  const at::Tensor loss = loss_of(objective, outputs, batch);
  loss.backward();
  tensors["outputs"] = outputs;
  tensors["loss"] = loss;
  for (const auto& parameter : network.named_parameters()) {
    tensors["gradient." + parameter.key()] = parameter.value().grad().clone();
  }
  optimizer.step();
  add_weights("after", network, tensors);
  write_tensors(file, tensors);
}

}  // namespace lapcast::workloads
