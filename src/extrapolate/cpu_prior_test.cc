#include "extrapolate/cpu_prior.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace lapcast {
namespace {

CpuMachine cpus(double threads, std::optional<double> quota = {}) {
  return {"", threads, quota, 3, "AVX2"};
}

/// Returns the ratio of the second machine to the first, as its mean and standard deviation.
NormalPart ratio_of(const CpuMachine& first, const CpuMachine& second) {
  const Gaussian program = program_on_cpus(std::vector{first, second});
  return {program.mean[1] - program.mean[0],
          std::sqrt(program.cov(0, 0) + program.cov(1, 1) - 2 * program.cov(0, 1))};
}

TEST(CpuPriorTest, HalfACpuTakesTwiceAsLong) {
  const NormalPart ratio = ratio_of(cpus(1), cpus(1, 0.5));
  EXPECT_NEAR(ratio.mean, std::log(2), 1e-12);
  // two machines of 0.15, and a slope of -1 +- 0.1 over ln 2
  EXPECT_NEAR(ratio.sd, std::sqrt(2 * 0.15 * 0.15 + std::pow(0.1 * std::log(2), 2)), 1e-9);
}

TEST(CpuPriorTest, FourCpusMayHelpOrNot) {
  const NormalPart ratio = ratio_of(cpus(1), cpus(4));
  EXPECT_NEAR(ratio.mean, -0.5 * std::log(4), 1e-12);
  EXPECT_GT(ratio.sd, 0.35 * std::log(4));
}

TEST(CpuPriorTest, AQuotaAboveTheCpusLimitsNothing) {
  EXPECT_NEAR(ratio_of(cpus(2), cpus(2, 3.0)).mean, 0, 1e-12);
  EXPECT_NEAR(ratio_of(cpus(1), cpus(8, 1.0)).mean, 0, 1e-12);
}

TEST(CpuPriorTest, WhatIsNotKnownWidens) {
  const NormalPart known = ratio_of(cpus(4), cpus(4));
  const NormalPart unknown = ratio_of(cpus(4), CpuMachine{});
  EXPECT_NEAR(unknown.mean, 0, 1e-12);
  EXPECT_NEAR(unknown.sd * unknown.sd - known.sd * known.sd, 3 * 0.25 * 0.25, 1e-9);
}

TEST(CpuPriorTest, AWiderVectorIsFaster) {
  EXPECT_NEAR(ratio_of(cpus(1), {"", 1, {}, 3, "AVX-512"}).mean, -0.5 * std::log(2), 1e-12);
  // SSE4.2 has half of the bits of AVX2, and no instruction that multiplies and adds
  EXPECT_NEAR(ratio_of(cpus(1), {"", 1, {}, 3, "SSE4.2"}).mean, 0.5 * std::log(4), 1e-12);
}

}  // namespace
}  // namespace lapcast
