#include "forecast/epoch_samples.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(EpochSamples, QuantilesCountWeights) {
  EpochSamples samples;
  samples.add(30, 0.2);
  samples.add(10, 0.5);
  samples.add(20, 0.1);
  samples.add(kNever, 0.2);
  EXPECT_EQ(samples.quantile(0.4), 10);
  EXPECT_EQ(samples.quantile(0.55), 20);
  EXPECT_EQ(samples.quantile(0.75), 30);
  EXPECT_EQ(samples.quantile(0.9), kNever);
  EXPECT_DOUBLE_EQ(samples.chance_within(20), 0.6);
  EXPECT_DOUBLE_EQ(samples.chance_within(1e300), 0.8);
}

TEST(EpochSamples, AMixtureKeepsItsSharesWhateverItIsMadeOf) {
  EpochSamples early, late, mixed;
  early.add(1, 1);
  late.add(9, 1);
  mixed.add(early, 0.25);
  mixed.add(late, 0.75);
  mixed.add(3, 0);  // no weight: not there
  EXPECT_DOUBLE_EQ(mixed.weight(), 1);
  EXPECT_DOUBLE_EQ(mixed.chance_within(5), 0.25);
  EXPECT_EQ(mixed.quantile(0.5), 9);
}

}  // namespace
}  // namespace lapcast
