#pragma once

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <memory>
#include <string>

#include "common/batches.h"
#include "common/cpus.h"
#include "common/network.h"
#include "common/objective.h"
#include "data/digits.h"

namespace lapcast::workloads {

/// Returns synthetic digits in the form on which the MNIST programs train.
inline std::unique_ptr<BatchSource> some_digits(int64_t count, MnistPart part) {
  return std::make_unique<ImageBatches>(byte_images(make_digits(count, 1, part, usable_cpus())),
                                        c10::kCPU);
}

/// Holds copies of a network's parameters by name, contiguous in memory.
using Weights = std::map<std::string, at::Tensor>;

/// Computes a network's outputs layer by layer.
using Description = std::function<at::Tensor(const at::Tensor& images, Weights& weights)>;

/// Expects that the network (without dropout) and its description give the same outputs and, for
/// the objective's loss, the same gradients.
inline void expect_described(Network& network, Objective objective, const Description& describe) {
  const Batch batch = some_digits(5, MnistPart::kTest)->take(0, 5);
  const at::Tensor outputs = network.forward(batch.inputs, true);
  loss_of(objective, outputs, batch).backward();

  Weights weights;
  for (const auto& p : network.named_parameters()) {
    weights[p.key()] =
        p.value().detach().clone(at::MemoryFormat::Contiguous).set_requires_grad(true);
  }
  const at::Tensor described = describe(batch.inputs.contiguous(), weights);
  loss_of(objective, described, batch).backward();

  EXPECT_TRUE(at::allclose(outputs, described, 1e-4, 1e-5));
  for (const auto& p : network.named_parameters()) {
    const at::Tensor expected = weights[p.key()].grad();
    EXPECT_TRUE(at::allclose(p.value().grad(), expected, 1e-3, 1e-5)) << p.key();
  }
}

}  // namespace lapcast::workloads
