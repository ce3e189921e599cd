#include "accuracy/interval_score.h"

#include <gtest/gtest.h>

#include <cmath>

namespace lapcast::accuracy {
namespace {

Judgement judged(std::string run, double seconds, Interval<Seconds> ours) {
  Judgement result;
  result.run = std::move(run);
  result.seen = "2 epochs";
  result.real = Seconds{seconds};
  result.units = 2;
  result.ours = ours;
  return result;
}

// Five runs of one configuration that all take 100 s: the oracle's interval has no width and holds
// them. Four of the five intervals are e times as wide as narrow; one ends at half the real time,
// which costs ln 2 of width and 40 times ln 2.
TEST(IntervalScore, WidthAndWhatIsOutside) {
  const double e = std::exp(1);
  std::vector<Judgement> judgements;
  for (int i = 0; i < 4; ++i)
    judgements.push_back(
        judged("a/" + std::to_string(i), 100, {Seconds{100 / e}, Seconds{90}, Seconds{100}}));
  judgements.push_back(judged("a/4", 100, {Seconds{25}, Seconds{30}, Seconds{50}}));
  judgements.push_back(judged("b/0", 100, {Seconds{1}, Seconds{2}, Seconds{3}}));
  const IntervalScores scores = interval_scores(judgements, "2 epochs");
  EXPECT_EQ(scores.runs, 5U);
  EXPECT_NEAR(scores.ours, (4 + 41 * std::log(2)) / 5, 1e-12);
  EXPECT_NEAR(scores.oracle, 0, 1e-12);
  EXPECT_EQ(interval_scores(judgements, "5 epochs").runs, 0U);
}

}  // namespace
}  // namespace lapcast::accuracy
