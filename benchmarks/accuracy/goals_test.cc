#include "accuracy/goals.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/groups.h"

namespace lapcast::accuracy {
namespace {

ErrorRow row(Group group, std::size_t runs, double median, double p90, double coverage) {
  ErrorRow result{.group = std::move(group), .seen = "2 epochs", .runs = runs};
  result.papers = {1.2, 6.2};
  result.ours = {median, p90};
  result.coverage = coverage;
  return result;
}

TEST(Goals, MedianAndNinetiethPercentile) {
  const auto met = verdicts({row({0, kCoreLong}, 50, 0.75, 4.5, 50)});
  ASSERT_EQ(met.size(), 1u);
  EXPECT_TRUE(met[0].met);
  EXPECT_EQ(met[0].text,
            std::string(kCoreLong) + "\t2 epochs\tat most 0.75 / 4.5 %, is 0.75 / 4.5 %");
  EXPECT_FALSE(verdicts({row({0, kCoreLong}, 50, 0.75, 4.6, 50)})[0].met);
  EXPECT_FALSE(verdicts({row({0, kCoreLong}, 50, 0.76, 4, 50)})[0].met);
}

TEST(Goals, NoBenchmarkWorseThanThePapers) {
  const Group group{kPlaceOfBenchmarks, "ssd, under 5 min"};
  EXPECT_TRUE(verdicts({row(group, 29, 2, 7, 50)}).empty()) << "too few";
  EXPECT_TRUE(verdicts({row(group, 30, 1.2, 6.2, 50)})[0].met);
  EXPECT_FALSE(verdicts({row(group, 30, 1.35, 6.2, 50)})[0].met);
  EXPECT_FALSE(verdicts({row(group, 30, 1.2, 6.35, 50)})[0].met);
}

TEST(Goals, Coverage) {
  const auto covered = [](double coverage, std::size_t runs = 100) {
    const auto found = verdicts({row({5, "core on A100"}, runs, 1, 1, coverage)});
    return found.empty() ? "not judged" : found[0].met ? "met" : "missed";
  };
  EXPECT_STREQ(covered(90), "met");
  EXPECT_STREQ(covered(98), "met");
  EXPECT_STREQ(covered(89.9), "missed");
  EXPECT_STREQ(covered(98.1), "missed");
  EXPECT_STREQ(covered(50, 99), "not judged");
}

TEST(Goals, SayBothHalves) {
  const Group group{kPlaceOfBenchmarks, "ssd, under 5 min"};
  ErrorRow alone = row(group, 30, 2, 7, 50);
  alone.fit = Fit::none;
  const auto both = verdicts({row(group, 30, 1.2, 6.2, 50), alone});
  EXPECT_EQ(both[0].text,
            "ssd, under 5 min\t2 epochs\tno worse than the papers' 1.20 / 6.2 %, is 1.20 / 6.2 %, "
            "alone 2.00 / 7.0 %");
  EXPECT_EQ(both[1].text, "all\t\tno worse than the papers: 1 of 1");
}

TEST(Goals, OnlyOfRowsThatCount) {
  ErrorRow fitted = row({0, kCoreLong}, 1000, 1, 1, 50);
  fitted.fit = Fit::own;
  EXPECT_TRUE(verdicts({fitted}).empty());
}

}  // namespace
}  // namespace lapcast::accuracy
