#pragma once

#include <gtest/gtest.h>

#include "common/network.h"

namespace lapcast::workloads {

struct ExpectedSizes {
  int64_t input_numbers;
  int64_t parameters;
  int64_t outputs;  // of the last layer
};

/// Expects that a network's list of layers agrees with its parameters.
inline void expect_layers_fit(const Network& network, const ExpectedSizes& expected) {
  int64_t held = 0, listed = 0;
  for (const at::Tensor& p : network.parameters()) held += p.numel();
  for (const LayerSize& layer : network.layers()) listed += layer.parameters;
  EXPECT_EQ(held, expected.parameters);
  EXPECT_EQ(listed, expected.parameters);
  EXPECT_EQ(network.layers().back().outputs, expected.outputs);
  EXPECT_EQ(network.input_numbers(), expected.input_numbers);
}

}  // namespace lapcast::workloads
