#include "suite/memory_estimate.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

/// The network of [L] with its own outputs: 64 maps after the second convolution.
NetworkSize embryo() {
  NetworkSize size;
  size.parameters = 16'834'432;
  size.optimizer_numbers = 2 * size.parameters;
  size.input_numbers = 64 * 64;
  size.layers = {{"conv1", 832, 64 * 64 * 32, 0},    {"pool1", 0, 32 * 32 * 32, 0},
                 {"conv2", 51'264, 32 * 32 * 64, 0}, {"pool2", 0, 16 * 16 * 64, 0},
                 {"dense1", 16'778'240, 1024, 0},    {"dense2", 4096, 4, 0}};
  return size;
}

// 4096 + 131072 + 32768 + 65536 + 16384 + 1024 + 4 = 250,884 numbers of a sample.
TEST(MemoryEstimate, OfTheEmbryoNetwork) {
  const MemoryEstimate estimate = estimate_memory(embryo(), 480);
  EXPECT_EQ(estimate.parameters, 67'337'728);
  EXPECT_EQ(estimate.gradients, 67'337'728);
  EXPECT_EQ(estimate.optimizer_state, 134'675'456);
  EXPECT_EQ(estimate.per_sample, 1'003'536);
  EXPECT_EQ(estimate.activations(), 481'697'280);
  EXPECT_EQ(estimate.total(), 751'048'192);
  EXPECT_EQ(memory_of_one_sample(embryo()), 4 * 17'085'316);
}

// [L] prints 19,622,836 numbers for one image: with the 2,097,152 and 524,288 that it takes after
// the second convolution and pooling, and the right total of parameters, 2000 more. That is
// 78.5 MB of 10^6 bytes, not the 83 that it says (methods, section 7).
TEST(MemoryEstimate, OfThePapersOwnCount) {
  NetworkSize size = embryo();
  size.layers[2].outputs = 32 * 32 * 32 * 64;
  size.layers[3].outputs = 16 * 16 * 32 * 64;
  EXPECT_EQ(memory_of_one_sample(size), 4 * (19'622'836 + 2'000));
  EXPECT_NEAR(static_cast<double>(memory_of_one_sample(size)) * 1e-6, 78.5, 0.05);
}

TEST(MemoryEstimate, TheLargestBatchJustFits) {
  const std::int64_t bytes = 6'000'000'000;
  const std::int64_t batch = largest_batch(estimate_memory(embryo(), 1), bytes);
  EXPECT_EQ(batch, 5710);  // (6e9 - 269,350,912) / 1,003,536 = 5710.46
  EXPECT_LE(estimate_memory(embryo(), batch).total(), bytes);
  EXPECT_GT(estimate_memory(embryo(), batch + 1).total(), bytes);
}

TEST(MemoryEstimate, NothingFitsInTooLittleMemory) {
  EXPECT_EQ(largest_batch(estimate_memory(embryo(), 1), 0), 0);
  EXPECT_EQ(largest_batch(estimate_memory(embryo(), 1), 269'350'912), 0);
  EXPECT_EQ(largest_batch(estimate_memory(embryo(), 1), 269'350'912 + 1'003'536), 1);
}

}  // namespace
}  // namespace lapcast
