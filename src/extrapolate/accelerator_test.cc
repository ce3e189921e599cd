#include "extrapolate/accelerator.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

std::string found(const std::string& name, std::optional<double> gib = {}) {
  const auto match = AcceleratorTable::shipped().find(name, gib);
  return match ? match->accelerator->name : match.error().text;
}

AcceleratorMatch match_of(const Offer& offer) {
  const auto match = AcceleratorTable::shipped().find(offer);
  EXPECT_TRUE(match) << offer.accelerator;
  return match.value_or(AcceleratorMatch{});
}

TEST(AcceleratorTableTest, NamesOfDriversListsAndPeopleMeanTheSame) {
  EXPECT_EQ(found("NVIDIA A100-SXM4-80GB"), "A100_80_SXM4");
  EXPECT_EQ(found("a100-80gb"), "A100_80_SXM4");
  EXPECT_EQ(found("A100 (80 GB)"), "A100_80_SXM4");
  EXPECT_EQ(found("NVIDIA GeForce RTX 3090"), "3090");
  EXPECT_EQ(found("RTX3090"), "3090");
  EXPECT_EQ(found("Tesla T4"), "T4");
  EXPECT_EQ(found("P100 (16 GB)"), "P100");
  EXPECT_EQ(found("NVIDIA H100 80GB HBM3"), "H100_SXM5");
  EXPECT_EQ(found("NVIDIA H100 PCIe"), "H100_PCIe");
}

TEST(AcceleratorTableTest, MemoryChoosesBetweenSizesOfOneName) {
  EXPECT_EQ(found("V100", 16), "V100_SXM2");
  EXPECT_EQ(found("V100", 32), "V100_SXM2_32");
}

TEST(AcceleratorTableTest, ANameWithTwoSizesIsADoubt) {
  const auto& table = AcceleratorTable::shipped();
  EXPECT_EQ(table.find("V100")->doubt, "'V100' may have 16 or 32 GiB");
  EXPECT_EQ(table.find("L4")->doubt, "");  // the L40 is another accelerator
  EXPECT_EQ(table.find("T4")->doubt, "");
}

TEST(AcceleratorTableTest, AnUnknownNameIsAReason) {
  EXPECT_EQ(found("tpu-v5p-8"), "accelerator 'tpu-v5p-8' is in no table");
  EXPECT_EQ(found(""), "accelerator '' is in no table");
}

TEST(AcceleratorTableTest, ProviderAndMachineTypeSayMoreThanTheName) {
  EXPECT_EQ(match_of({.provider = "gcp", .accelerator = "rtx6000"}).accelerator->name, "Pro6000");
  EXPECT_EQ(match_of({.provider = "lambda", .accelerator = "RTX6000"}).accelerator->name,
            "QuadroRTX6000");
  EXPECT_EQ(
      match_of({.provider = "lambda", .machine_type = "gpu_1x_h100_pcie", .accelerator = "H100"})
          .accelerator->name,
      "H100_PCIe");
  EXPECT_EQ(
      match_of({.provider = "vast", .machine_type = "1x-H100_NVL-32-65536", .accelerator = "H100"})
          .accelerator->name,
      "H100_NVL");
}

TEST(AcceleratorTableTest, AShareOfACardHasItsShareOfTheMemory) {
  const Offer offer{.provider = "aws", .accelerator = "1/4 L4"};
  const AcceleratorMatch match = match_of(offer);
  EXPECT_EQ(match.accelerator->name, "L4");
  EXPECT_EQ(match.share, 0.25);
  EXPECT_EQ(accelerator_memory(offer, match), std::int64_t{6} << 30);
}

TEST(AcceleratorTableTest, EveryRowIsFoundByItsOwnKeyAndAliases) {
  for (const AcceleratorSpec& row : AcceleratorTable::shipped().rows()) {
    EXPECT_EQ(found(row.name), row.name);
    EXPECT_FALSE(row.source.empty());
  }
}

TEST(AcceleratorTableTest, ADamagedTableIsRefusedWithItsLine) {
  EXPECT_THROW(AcceleratorTable("name\nT4,,turing,sixteen,8,8,65,320,2018,x,2026"), Error);
  EXPECT_THROW(AcceleratorTable("name\nT4"), Error);
}

}  // namespace
}  // namespace lapcast
