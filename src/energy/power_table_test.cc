#include "energy/power_table.h"

#include <gtest/gtest.h>

#include "energy/grid_factor.h"
#include "energy/interval_arithmetic.h"
#include "energy/other_batch.h"

#include <cmath>
#include <limits>
#include <vector>

namespace lapcast {
namespace {

TEST(PowerTable, FindsTheRowWithTheMostWords) {
  EXPECT_EQ(accelerator_power("NVIDIA A100-SXM4-80GB")->watts, 400);
  EXPECT_EQ(accelerator_power("NVIDIA A100-PCIE-40GB")->watts, 250);
  EXPECT_EQ(accelerator_power("NVIDIA A100 80GB PCIe")->watts, 300);
  EXPECT_EQ(accelerator_power("Tesla V100-SXM2-16GB")->watts, 300);
  EXPECT_EQ(accelerator_power("Tesla V100-PCIE-16GB")->watts, 250);
  EXPECT_EQ(accelerator_power("NVIDIA H100 80GB HBM3")->watts, 700);
  EXPECT_EQ(accelerator_power("H100 NVL")->watts, 400);
  EXPECT_EQ(accelerator_power("NVIDIA L40S")->watts, 350);
  EXPECT_EQ(accelerator_power("T4")->watts, 70);
  EXPECT_EQ(cpu_power("Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz")->watts, 300);
  EXPECT_EQ(cpu_power("AMD EPYC 7763 64-Core Processor")->watts, 280);
}

TEST(PowerTable, KnowsNothingOfOtherNames) {
  for (const char* name : {"", "NVIDIA", "X100", "T40", "A1000", "\xff\xfe", "QEMU Virtual CPU"}) {
    EXPECT_FALSE(accelerator_power(name)) << name;
    EXPECT_FALSE(cpu_power(name)) << name;
  }
  EXPECT_FALSE(accelerators_in_use("A100", 0));
  EXPECT_FALSE(accelerators_in_use("A100", -3));
}

TEST(PowerTable, CoversTheMeasuredNodesWithEightH100) {
  MachineDescription node{.cpu_model = "Intel(R) Xeon(R) Platinum 8462Y+", .sockets = 2};
  node.cores = 64;
  node.threads = 128;
  node.accelerators.assign(8, {.vendor = "nvidia", .model = "NVIDIA H100 80GB HBM3"});
  // The mean power of the nodes in energy-mlperf (MLPerf Training v4.0, Sustainable Metal Cloud).
  for (const double watts : {5763.0, 6142.0, 6770.0, 6892.0, 6912.0, 7114.0})
    EXPECT_TRUE(machine_in_use(node, {})->contains(watts)) << watts;
}

TEST(PowerTable, CountsTheCpusThatAMachineTypeMayUse) {
  MachineDescription machine{.cpu_model = "AMD EPYC 7763 64-Core Processor", .sockets = 2};
  machine.cores = 128;
  machine.threads = 256;
  const double all = cpus_in_use(machine, {})->mid;
  EXPECT_DOUBLE_EQ(all, 2 * 280 * 0.65);
  EXPECT_DOUBLE_EQ(cpus_in_use(machine, {.cpus = {0, 1, 2, 3}})->mid, all * 4 / 256);
  EXPECT_DOUBLE_EQ(cpus_in_use(machine, {.cpus = {0, 1}, .cpu_quota = 0.5})->mid, all * 0.5 / 256);
  machine.cpu_model = "unheard of";
  EXPECT_DOUBLE_EQ(cpus_in_use(machine, {})->mid, 128 * 5);
  EXPECT_FALSE(cpus_in_use({}, {}));
  EXPECT_FALSE(machine_in_use({}, {}));
}

TEST(PowerTable, CountsTheGpusThatAMachineTypeMaySee) {
  MachineDescription machine;
  machine.accelerators.resize(4);
  EXPECT_EQ(accelerators_of(machine, {}), 4);
  const auto seen = [&](const char* value) {
    return accelerators_of(machine, {.environment = {{"CUDA_VISIBLE_DEVICES", value}}});
  };
  EXPECT_EQ(seen("0,2"), 2);
  EXPECT_EQ(seen(""), 0);
  EXPECT_EQ(seen("-1"), 0);
  EXPECT_EQ(seen("0,1,2,3,4,5"), 4);
  EXPECT_FALSE(machine_in_use(machine, {}));  // a model without a name is in no table
}

TEST(GridFactor, IsFoundByProviderAndRegion) {
  const auto factor = grid_factor("azure", "East US");
  ASSERT_TRUE(factor);
  EXPECT_EQ(factor->grams_per_kwh, (Interval<double>{208, 416, 832}));
  EXPECT_EQ(factor->year, 2026);
  EXPECT_EQ(grid_factor("azure", "eastus")->grams_per_kwh.mid, 416);
  EXPECT_EQ(grid_factor("aws", "eu-north-1")->grams_per_kwh.mid, 8);
  EXPECT_EQ(grid_factor("gcp", "us-central1")->grams_per_kwh.mid, 430);
  EXPECT_FALSE(grid_factor("azure", "Finland Central"));  // damaged in the source
  EXPECT_FALSE(grid_factor("", ""));
  EXPECT_FALSE(grid_factor("aws", "us-east-99"));
}

TEST(IntervalArithmetic, AddsErrorsInQuadrature) {
  // 10 + 20 with 3 and 4 below, 6 and 8 above: 5 below, 10 above.
  EXPECT_EQ(sum({7, 10, 16}, {16, 20, 28}), (Interval<double>{25, 30, 40}));
  // Factors of 2 and of 2: e^(ln 2 x sqrt 2) = 2.665.
  const Interval<double> both = product({1, 2, 4}, {5, 10, 20});
  EXPECT_DOUBLE_EQ(both.mid, 20);
  EXPECT_NEAR(both.high, 53.3, 0.01);
  EXPECT_NEAR(both.low, 400 / both.high, 1e-9);
  EXPECT_EQ(product({0, 1, 2}, {1, 1, 1}).low, 0);
  EXPECT_EQ(product({0, 0, 0}, {1, 1, 1}), Interval<double>{});
}

TEST(OtherBatch, LiesOnTheLineBetweenTwoMeasuredSpeeds) {
  // 100 W at 0.1 and 200 W at 0.5 epochs per second: 0.3 is in the middle.
  const std::vector<BatchPower> measured{{10, 100}, {2, 200}};
  EXPECT_NEAR(power_at_other_batch(measured, 1 / 0.3)->mid, 150, 1e-9);
  EXPECT_DOUBLE_EQ(power_at_other_batch(measured, 100)->mid, 100);
  EXPECT_DOUBLE_EQ(power_at_other_batch(measured, 1)->mid, 200);
  EXPECT_DOUBLE_EQ(power_at_other_batch(measured, 1, 180)->mid, 180);
  EXPECT_DOUBLE_EQ(power_at_other_batch(measured, 2)->high, 270);
}

TEST(OtherBatch, GrowsSlowlyWithSpeedFromOneMeasurement) {
  // Twice as fast: 100 W x 2^0.28.
  const std::vector<BatchPower> one{{10, 100}};
  EXPECT_NEAR(power_at_other_batch(one, 5)->mid, 121.42, 0.01);
  EXPECT_DOUBLE_EQ(power_at_other_batch(one, 10)->mid, 100);
}

TEST(OtherBatch, NeedsValuesAboveZero) {
  const std::vector<BatchPower> one{{10, 100}};
  EXPECT_FALSE(power_at_other_batch({}, 5));
  for (const double bad : {0.0, -1.0, std::nan(""), std::numeric_limits<double>::infinity()}) {
    EXPECT_FALSE(power_at_other_batch(one, bad));
    EXPECT_FALSE(power_at_other_batch(std::vector<BatchPower>{{bad, 100}, {1, 1}}, 5));
    EXPECT_FALSE(power_at_other_batch(std::vector<BatchPower>{{10, bad}}, 5));
  }
  const std::vector<BatchPower> same{{10, 100}, {10, 120}};
  EXPECT_TRUE(std::isfinite(power_at_other_batch(same, 10)->mid));
}

}  // namespace
}  // namespace lapcast
