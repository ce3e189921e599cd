#include "extrapolate/machine_factors.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast {
namespace {

constexpr const char* kTwoRows =
    "gpu,cls,mu,l1,l2,l3,l4,psi\n"
    "T4,fp32,0.5,0.1,0,0.2,0,0.3\n"
    "P4,fp32,0.8,0.2,0.4,0,0,0.1\n";

TEST(MachineFactorsTest, CovarianceIsLoadingsAndOwnDeviation) {
  const MachineFactors factors = read_machine_factors(kTwoRows);
  ASSERT_EQ(factors.items.size(), 2U);
  EXPECT_DOUBLE_EQ(factors.of_items.mean[1], 0.8);
  EXPECT_NEAR(factors.of_items.cov(0, 0), 0.14, 1e-12);  // 0.01 + 0.04 + 0.09
  EXPECT_NEAR(factors.of_items.cov(0, 1), 0.02, 1e-12);  // 0.1 * 0.2
}

TEST(MachineFactorsTest, DamagedFactorsAreRefused) {
  EXPECT_THROW(read_machine_factors("head\nT4,fp32,x,0,0,0,0,0\n"), Error);
  EXPECT_THROW(read_machine_factors("head\nT4,fp8,0,0,0,0,0,0\n"), Error);
  EXPECT_THROW(read_machine_factors("head\nT4\n"), Error);
}

TEST(MachineFactorsTest, AProgramHasAnUnknownConstantOfItsOwn) {
  const MachineFactors factors = read_machine_factors(kTwoRows);
  const Gaussian program = program_on(factors, factors.items, 2);
  EXPECT_NEAR(program.cov(0, 0), 4 * 0.14 + 25, 1e-12);
  EXPECT_NEAR(program.cov(0, 1), 4 * 0.02 + 25, 1e-12);
}

TEST(MachineFactorsTest, MissingItemsComeFromTheirSpecifications) {
  const MachineFactors known = read_machine_factors(machine_factors_csv());
  const std::vector<MachineItem> wanted{{"L4", PrecisionClass::half},
                                        {"A100_40_SXM4", PrecisionClass::half}};
  const MachineFactors all = with_items(known, wanted, AcceleratorTable::shipped());
  ASSERT_EQ(all.items.size(), known.items.size() + 1);
  const std::size_t l4 = *all.place_of(wanted[0]), a100 = *all.place_of(wanted[1]);
  EXPECT_DOUBLE_EQ(all.of_items.mean[a100], known.of_items.mean[*known.place_of(wanted[1])]);
  EXPECT_GT(all.of_items.mean[l4], all.of_items.mean[a100]);  // an L4 is slower
  // What no program was measured on is less sure than what some were.
  const auto sd_beside_a100 = [&](std::size_t i) {
    return std::sqrt(all.of_items.cov(i, i) + all.of_items.cov(a100, a100) -
                     2 * all.of_items.cov(i, a100));
  };
  EXPECT_GT(sd_beside_a100(l4), sd_beside_a100(*all.place_of({"3090", PrecisionClass::half})));
}

TEST(MachineFactorsTest, EveryRowOfTheShippedFactorsHasASpecification) {
  for (const MachineItem& item : read_machine_factors(machine_factors_csv()).items)
    EXPECT_NE(AcceleratorTable::shipped().named(item.accelerator), nullptr) << item.accelerator;
}

TEST(MachineFactorsTest, WithoutTf32AProgramComputesInFp32) {
  const auto& table = AcceleratorTable::shipped();
  EXPECT_EQ(item_of(*table.named("V100_SXM2"), PrecisionClass::tf32).precision,
            PrecisionClass::fp32);
  EXPECT_EQ(item_of(*table.named("3090"), PrecisionClass::tf32).precision, PrecisionClass::tf32);
}

TEST(MachineFactorsTest, NamesOfPrecisions) {
  EXPECT_EQ(precision_named("BF16"), PrecisionClass::half);
  EXPECT_EQ(precision_named("float32"), PrecisionClass::fp32);
  EXPECT_EQ(precision_named("int8"), std::nullopt);
}

}  // namespace
}  // namespace lapcast
