#include "extrapolate/device_and_host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lapcast {
namespace {

/// Is a device half as slow, known within 5 %, beside the one at home.
const Gaussian kTwoDevices{{0, std::log(0.5)}, {0.001, 0, 0, 0.0025}};

Interval<double> there(const DeviceAndHost& model, double batch) {
  const DeviceAndHost::Asked asked[] = {{1, batch}};
  auto drawn = model.draws(asked, 1000, 3);
  std::ranges::sort(drawn);
  return {std::exp(drawn[25]), std::exp(drawn[500]), std::exp(drawn[975])};
}

TEST(DeviceAndHostTest, LapsInProportionToTheBatchAreTheDevices) {
  DeviceAndHost model(kTwoDevices);
  model.add_lap(0, 64, std::log(1.0));
  model.add_lap(0, 1024, std::log(15.9));
  const Interval<double> lap = there(model, 1024);
  EXPECT_NEAR(lap.mid, 15.9 / 2, 0.8);
  EXPECT_LT(lap.high / lap.low, 1.5);
}

TEST(DeviceAndHostTest, LapsThatTheBatchDoesNotChangeAreNotTheDevices) {
  DeviceAndHost model(kTwoDevices);
  model.add_lap(0, 64, std::log(0.1));
  model.add_lap(0, 1024, std::log(0.101));
  const Interval<double> lap = there(model, 64);
  EXPECT_LT(lap.low, 0.075);  // the fixed work may be the device's,
  EXPECT_GT(lap.high, 0.13);  // or a slower host's
}

TEST(DeviceAndHostTest, TheBusyShareTellsTheDevicesPartOfOneLap) {
  DeviceAndHost busy(kTwoDevices), idle(kTwoDevices);
  for (DeviceAndHost* model : {&busy, &idle}) model->add_lap(0, 64, std::log(0.1));
  busy.add_busy(0, 64, std::log(0.098));
  idle.add_busy(0, 64, std::log(0.01));
  EXPECT_LT(there(busy, 64).mid, 0.075);
  EXPECT_GT(there(idle, 64).mid, 0.08);  // the host decides, and another one is as fast
}

TEST(DeviceAndHostTest, TheSameSeedGivesTheSameDraws) {
  DeviceAndHost model(kTwoDevices);
  model.add_lap(0, 8, 0);
  const DeviceAndHost::Asked asked[] = {{1, 8}, {0, 16}};
  EXPECT_EQ(model.draws(asked, 50, 9), model.draws(asked, 50, 9));
}

}  // namespace
}  // namespace lapcast
