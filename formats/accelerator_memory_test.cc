#include "formats/accelerator_memory.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

namespace lapcast {
namespace {

Offer with_memory(const std::string& accelerator, int count, double gib,
                  const std::string& provider = "p") {
  Offer offer;
  offer.provider = provider;
  offer.accelerator = accelerator;
  offer.accelerator_count = count;
  offer.accelerator_memory_bytes = std::llround(gib * 1073741824);
  return offer;
}

double settled_gib(std::vector<Offer> offers, std::size_t at) {
  settle_accelerator_memory(offers);
  return static_cast<double>(*offers[at].accelerator_memory_bytes) / 1073741824;
}

TEST(AcceleratorMemory, ThatGrowsWithTheNumberIsOfAll) {
  std::vector<Offer> offers{with_memory("New", 1, 100), with_memory("New", 2, 200),
                            with_memory("New", 8, 800)};
  EXPECT_EQ(settle_accelerator_memory(offers), 2u);
  for (const Offer& offer : offers) EXPECT_EQ(offer.accelerator_memory_bytes, 100LL << 30);
}

TEST(AcceleratorMemory, ThatStaysIsOfOne) {
  std::vector<Offer> offers{with_memory("New", 1, 100), with_memory("New", 8, 100)};
  EXPECT_EQ(settle_accelerator_memory(offers), 0u);
}

TEST(AcceleratorMemory, MoreThanAnyAcceleratorHasIsOfAll) {
  EXPECT_DOUBLE_EQ(settled_gib({with_memory("New", 8, 640)}, 0), 80);
}

TEST(AcceleratorMemory, OtherwiseTheSpecificationsTell) {
  EXPECT_DOUBLE_EQ(settled_gib({with_memory("V100", 8, 16)}, 0), 16);
  EXPECT_DOUBLE_EQ(settled_gib({with_memory("RTX 3090", 4, 96)}, 0), 24);
  EXPECT_DOUBLE_EQ(settled_gib({with_memory("A100-80GB", 2, 160)}, 0), 80);
  EXPECT_DOUBLE_EQ(settled_gib({with_memory("A100-80GB", 2, 80)}, 0), 80);
  EXPECT_DOUBLE_EQ(settled_gib({with_memory("L40_48GB", 2, 96)}, 0), 48);
}

TEST(AcceleratorMemory, AnUnknownOneIsLikeTheOthersOfItsProvider) {
  const std::vector<Offer> offers{with_memory("New", 1, 100), with_memory("New", 2, 200),
                                  with_memory("Newer", 4, 120), with_memory("Newer", 4, 30, "q")};
  EXPECT_DOUBLE_EQ(settled_gib(offers, 2), 30);
  EXPECT_DOUBLE_EQ(settled_gib(offers, 3), 30);
}

}  // namespace
}  // namespace lapcast
