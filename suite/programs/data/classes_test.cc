#include "data/classes.h"

#include <gtest/gtest.h>

#include <string>

namespace lapcast::workloads {
namespace {

using Sizes = std::vector<int64_t>;
using Places = std::vector<size_t>;

// 10 of 50, 30 and 20: 5, 3 and 2. 7 of them: 3.5, 2.1 and 1.4, so the first gets the seventh.
TEST(SharesOfClasses, AreInProportion) {
  EXPECT_EQ(shares_of_classes(Sizes{50, 30, 20}, 10), (Sizes{5, 3, 2}));
  EXPECT_EQ(shares_of_classes(Sizes{50, 30, 20}, 7), (Sizes{4, 2, 1}));
  EXPECT_EQ(shares_of_classes(Sizes{50, 0, 50}, 3), (Sizes{2, 0, 1}));
  EXPECT_EQ(shares_of_classes(Sizes{5, 5, 5}, 2), (Sizes{1, 1, 0}));
}

// 16 photographs have 11.76, 1.11, 2.41, 0.40 and 0.32 of the grades of the Kaggle set; the two
// rare ones get one each, the first takes what is left of 16.
TEST(SharesOfClasses, HaveOneOfEachRareClass) {
  EXPECT_EQ(shares_of_classes(Sizes{25810, 2443, 5292, 873, 708}, 16), (Sizes{11, 1, 2, 1, 1}));
  EXPECT_EQ(shares_of_classes(Sizes{1000, 1, 1}, 3), (Sizes{1, 1, 1}));
  EXPECT_EQ(shares_of_classes(Sizes{1000, 1, 1}, 2), (Sizes{2, 0, 0}));
}

TEST(FirstOfEachClass, KeepsSetsThatAreSorted) {
  const std::vector<uint8_t> sorted{0, 0, 0, 0, 1, 1, 2, 2};
  EXPECT_EQ(first_of_each_class(sorted, 4), (Places{0, 1, 4, 6}));
  EXPECT_EQ(first_of_each_class(sorted, 8).size(), 8u);
  EXPECT_EQ(first_of_each_class(sorted, 0).size(), 8u);
  EXPECT_EQ(first_of_each_class(sorted, 99).size(), 8u);
  EXPECT_TRUE(first_of_each_class({}, 3).empty());
}

TEST(FirstOfEachClass, IsTheBeginningWhereClassesTakeTurns) {
  std::vector<uint8_t> labels;
  for (int i = 0; i < 60; ++i) labels.push_back(static_cast<uint8_t>(i % 10));
  for (const int64_t n : {1, 9, 10, 25, 59}) {
    const Places kept = first_of_each_class(labels, n);
    EXPECT_EQ(kept.size(), static_cast<size_t>(n));
    EXPECT_EQ(kept.back(), static_cast<size_t>(n - 1)) << n;
  }
}

TEST(Records, AreKeptAndCut) {
  std::vector<int> numbers{1, 2, 3, 4, 5, 6};
  keep_records(numbers, Places{0, 2}, 2);
  EXPECT_EQ(numbers, (std::vector<int>{1, 2, 5, 6}));
  std::vector<std::string> words{"a", "b", "c", "d"};
  EXPECT_EQ(cut_records(words, Places{1, 3}), (std::vector<std::string>{"a", "c"}));
  EXPECT_EQ(words, (std::vector<std::string>{"b", "d"}));
}

}  // namespace
}  // namespace lapcast::workloads
