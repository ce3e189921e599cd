#include "suite/driver/memory_estimate.h"

#include <gtest/gtest.h>

#include <limits>

namespace lapcast {
namespace {

/// Returns the network of Lawrence 2017 with its own outputs: 64 maps after the second convolution.
NetworkSize embryo_outputs() {
  NetworkSize size;
  size.parameters = 16'834'432;
  size.optimizer_numbers = 2 * size.parameters;
  size.input_numbers = 64 * 64;
  size.layers = {{"conv1", 832, 64 * 64 * 32, 0},    {"pool1", 0, 32 * 32 * 32, 0},
                 {"conv2", 51'264, 32 * 32 * 64, 0}, {"pool2", 0, 16 * 16 * 64, 0},
                 {"dense1", 16'778'240, 1024, 0},    {"dense2", 4096, 4, 0}};
  for (LayerSize& layer : size.layers) layer.kept = {4 * layer.outputs};
  return size;
}

// The sum is 4096 + 131072 + 32768 + 65536 + 16384 + 1024 + 4 = 250,884 numbers of a sample.
TEST(MemoryEstimate, CountsTheNumbersOfTheEmbryoNetwork) {
  const MemoryEstimate estimate = estimate_memory(embryo_outputs(), 480);
  EXPECT_EQ(estimate.parameters, 67'337'728);
  EXPECT_EQ(estimate.optimizer_state, 134'675'456);
  // The peak is at the gradients of dense1; what dense2 kept, 4 numbers, is freed by then.
  EXPECT_EQ(estimate.activations, 480 * 4 * (250'884 - 4));
  EXPECT_EQ(outputs_of_a_sample(embryo_outputs()), 1'003'536);
  EXPECT_EQ(memory_of_one_sample(embryo_outputs()), 4 * 17'085'316);
}

// Lawrence 2017 prints 19,622,836 numbers for one image. With the 2,097,152 and 524,288 that it
// takes after the second convolution and pooling, and the right total of parameters, there are 2000
// more. That is 78.5 MB of 10^6 bytes, not the 83 that it says.
TEST(MemoryEstimate, AgreesWithThePapersOwnCount) {
  NetworkSize size = embryo_outputs();
  size.layers[2].outputs = 32 * 32 * 32 * 64;
  size.layers[3].outputs = 16 * 16 * 32 * 64;
  EXPECT_EQ(memory_of_one_sample(size), 4 * (19'622'836 + 2'000));
  EXPECT_NEAR(static_cast<double>(memory_of_one_sample(size)) * 1e-6, 78.5, 0.05);
}

/// Returns a network of two layers whose blocks are easy to place by hand: 5 parameters with one
/// number of state each, 40 bytes of input.
NetworkSize two_layers() {
  NetworkSize size;
  size.parameters = size.optimizer_numbers = 5;
  size.input_numbers = 10;
  size.layers = {{"a", 5, 25, 0, {100}, {}, 0}, {"b", 0, 15, 0, {60, 20}, {60, 100}, 0}};
  return size;
}

// Addresses: parameters 0 to 20, state to 40, input to 80, kept by a to 180, by b to 260. On the
// way back 60 bytes to 320, then 100 to 420, which is the peak; the gradients of a's parameters fit
// into what b freed.
TEST(MemoryEstimate, PlacesTheBlocksOfAStep) {
  const MemoryEstimate estimate = estimate_memory(two_layers(), 1);
  EXPECT_EQ(estimate.total(), 420);
  EXPECT_EQ(estimate.activations, 40 + 100 + 80);
  EXPECT_EQ(estimate.activation_gradients, 160);
  EXPECT_EQ(estimate.gradients, 0);
  EXPECT_EQ(estimate.gaps, 0);
  EXPECT_EQ(estimate_memory(two_layers(), 3).total(), 40 + 3 * 380);
}

// As above, but a takes 50 bytes for a while, at 80 to 130, and keeps 30 to 160. What b keeps, 60
// and 20, goes to 160 to 220 and into the gap at 80 to 100. b's 60 on the way back end at 280, its
// 100 at 380; 30 bytes of the gap are left.
TEST(MemoryEstimate, CountsTheGaps) {
  NetworkSize size = two_layers();
  size.layers[0].kept = {30};
  size.layers[0].temporary = 50;
  const MemoryEstimate estimate = estimate_memory(size, 1);
  EXPECT_EQ(estimate.total(), 380);
  EXPECT_EQ(estimate.gaps, 30);
  EXPECT_EQ(estimate.activations, 40 + 30 + 80);
}

// Steps of 2 samples take 40 + 2 x 380 = 800 by the count, so 1000 measured leave 200.
TEST(MemoryEstimate, TakesTheFrameworksShareFromSmallSteps) {
  NetworkSize size = two_layers();
  size.step_samples = 2;
  size.step_bytes = 1000;
  EXPECT_EQ(estimate_memory(size, 1).framework, 200);
  EXPECT_EQ(estimate_memory(size, 1).total(), 620);
  EXPECT_EQ(estimate_memory(size, 1).overcount, 0);
}

// 800 are counted, so 700 measured are 100 too few.
TEST(MemoryEstimate, SaysWhereMoreIsCountedThanStepsTake) {
  NetworkSize size = two_layers();
  EXPECT_EQ(estimate_memory(size, 1).overcount, std::nullopt);
  size.step_samples = 2;
  size.step_bytes = 700;
  EXPECT_EQ(estimate_memory(size, 1).framework, 0);
  EXPECT_EQ(estimate_memory(size, 1).overcount, 100);
  size.step_bytes = 800;
  EXPECT_EQ(estimate_memory(size, 1).overcount, 0);
}

TEST(MemoryEstimate, LargestBatchJustFits) {
  const NetworkSize size = two_layers();
  EXPECT_EQ(largest_batch(size, 40 + 380 * 7), 7);
  EXPECT_EQ(largest_batch(size, 40 + 380 * 7 - 1), 6);
  EXPECT_EQ(largest_batch(size, 40 + 379), 0);
  EXPECT_EQ(largest_batch(size, 0), 0);
  EXPECT_EQ(largest_batch(size, -5), 0);
}

TEST(MemoryEstimate, LeavesTheFrameworkOutOnADevice) {
  NetworkSize size = two_layers();
  size.step_samples = 1;
  size.step_bytes = 420 + 380;
  EXPECT_EQ(largest_batch(size, 40 + 380 * 7), 6);
  EXPECT_EQ(largest_batch(size, 40 + 380 * 7, true), 7);
}

TEST(MemoryEstimate, StaysWithinItsNumbers) {
  NetworkSize size = two_layers();
  size.layers[0].kept = {1'000'000'000'000, 1'000'000'000'000};
  size.layers[1].gradients = {1'000'000'000'000, 1'000'000'000'000};
  const MemoryEstimate estimate = estimate_memory(size, 1'000'000'000);
  EXPECT_GE(estimate.total(), std::int64_t{1} << 61);
  EXPECT_EQ(largest_batch(size, std::int64_t{1} << 50),
            281);  // 2^50 / 4e12, then less what is small
  EXPECT_EQ(largest_batch(NetworkSize{}, 10), 1'000'000'000);  // nothing to hold
}

}  // namespace
}  // namespace lapcast
