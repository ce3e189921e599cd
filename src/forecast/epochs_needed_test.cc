#include "forecast/epochs_needed.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "forecast/fitted_curves.h"
#include "stats/distributions.h"

namespace lapcast {
namespace {

using ::testing::HasSubstr;

LearningCurve planted(const CurveShape& shape, double end, double rise, int n, double noise,
                      std::uint64_t seed = 5) {
  SeededNumbers numbers(seed);
  LearningCurve curve;
  for (int t = 1; t <= n; ++t)
    curve.points.push_back(
        {double(t), end - rise * share_remaining(shape, t, 1) + noise * numbers.normal()});
  return curve;
}

LearningCurve first(const LearningCurve& curve, std::size_t n) {
  LearningCurve result = curve;
  result.points.resize(n);
  return result;
}

EpochsQuestion accuracy(double target, double max_epochs = 0) {
  return {{.metric = "acc", .target = target}, 0, max_epochs};
}

class EachFamilyAlone : public ::testing::TestWithParam<CurveShape> {};

TEST_P(EachFamilyAlone, ItsTargetIsFoundWithinTheInterval) {
  const LearningCurve whole = planted(GetParam(), 0.9, 0.8, 400, 0.002);
  const double target = whole.points[44].value;
  const double real = *epochs_when_reached(whole, accuracy(target).goal);
  const auto needed = epochs_needed(first(whole, 30), accuracy(target));
  ASSERT_TRUE(needed);
  EXPECT_NEAR(needed->epochs.mid / real, 1, 0.3) << to_string(GetParam().family);
  EXPECT_TRUE(needed->epochs.contains(real));
  EXPECT_GT(needed->chance_reached, 0.9);
}

INSTANTIATE_TEST_SUITE_P(CurveFamilies, EachFamilyAlone,
                         ::testing::Values(CurveShape{CurveFamily::power, 1, 0.6},
                                           CurveShape{CurveFamily::shifted_power, 10, 1.3},
                                           CurveShape{CurveFamily::exponential, 16, 1},
                                           CurveShape{CurveFamily::janoschek, 25, 1.6},
                                           CurveShape{CurveFamily::inverse_logarithm, 1, 1},
                                           CurveShape{CurveFamily::log_power, 25, 1.8}));

TEST(EpochsNeeded, APlateauBelowTheTargetIsNotReached) {
  const auto curve = planted({CurveFamily::exponential, 5, 1}, 0.7, 0.6, 40, 0.002);
  const auto needed = epochs_needed(curve, accuracy(0.8, 100));
  ASSERT_TRUE(needed);
  EXPECT_LT(needed->chance_reached, 0.5);
  EXPECT_EQ(needed->epochs.mid, kNever);
  EXPECT_EQ(needed->epochs.high, kNever);
  EXPECT_EQ(needed->horizon, 100);
}

TEST(EpochsNeeded, ALossIsReachedFromAbove) {
  const auto up = planted({CurveFamily::exponential, 8, 1}, 0.9, 0.8, 15, 0.002);
  LearningCurve down = up;
  for (CurvePoint& point : down.points) point.value = -point.value;
  const auto a = epochs_needed(up, accuracy(0.85));
  const auto b =
      epochs_needed(down, {{.metric = "loss", .smaller_is_better = true, .target = -0.85}, 0, 0});
  EXPECT_EQ(a->epochs, b->epochs);
  EXPECT_EQ(a->chance_reached, b->chance_reached);
}

TEST(EpochsNeeded, UnitsOfTheMetricDoNotMatter) {
  const auto shares = planted({CurveFamily::log_power, 8, 2}, 0.9, 0.8, 15, 0.004);
  LearningCurve percent = shares;
  for (CurvePoint& point : percent.points) point.value *= 128;
  EXPECT_EQ(epochs_needed(shares, accuracy(0.875))->epochs,
            epochs_needed(percent, accuracy(0.875 * 128))->epochs);
}

TEST(EpochsNeeded, SaysThatTheTargetIsReachedAlready) {
  const LearningCurve curve{{{1, 0.3}, {2, 0.6}, {3, 0.5}}};
  const auto needed = epochs_needed(curve, accuracy(0.55));
  EXPECT_TRUE(needed->reached);
  EXPECT_EQ(needed->epochs, Interval<double>::exactly(2));
}

TEST(EpochsNeeded, RefusesWhatIsTooLittle) {
  const LearningCurve three{{{1, 0.3}, {2, 0.4}, {3, 0.5}}};
  EXPECT_EQ(epochs_needed(three, accuracy(0.6)).error().text,
            "3 evaluations of acc are too few: 4 are needed, or earlier runs of the same program");
  EXPECT_THAT(epochs_needed(LearningCurve{{{1, 0.3}}}, accuracy(0.6)).error().text,
              HasSubstr("1 evaluation of acc is too few"));
  EXPECT_FALSE(epochs_needed(LearningCurve{}, accuracy(0.6)));
  EXPECT_EQ(epochs_needed(three, accuracy(0.6, 3)).error().text,
            "it has trained 3 epochs, and 3 is the limit");
}

TEST(EpochsNeeded, OneEvaluationIsEnoughWhereEarlierRunsGoOn) {
  const auto shape = CurveShape{CurveFamily::exponential, 8, 1};
  std::vector<EarlierCurve> earlier;
  for (const std::uint64_t seed : {1, 2, 3})
    earlier.push_back(
        {"run" + std::to_string(seed), planted(shape, 0.9, 0.8, 40, 0.002, seed), 32});
  const LearningCurve whole = planted(shape, 0.9, 0.8, 40, 0.002);
  EpochsQuestion question = accuracy(0.85);
  question.batch_size = 32;
  const auto needed = epochs_needed(first(whole, 1), question, earlier);
  ASSERT_TRUE(needed);
  const double real = *epochs_when_reached(whole, question.goal);
  EXPECT_NEAR(needed->epochs.mid, real, 3);
  EXPECT_TRUE(needed->epochs.contains(real));
  EXPECT_THAT(needed->basis.front().text, HasSubstr("earlier runs with the same batch size: run"));
  EXPECT_TRUE(needed->warnings.empty());
  question.batch_size = 64;
  const auto carried = epochs_needed(first(whole, 1), question, earlier);
  ASSERT_EQ(carried->warnings.size(), 1u);
  EXPECT_THAT(carried->warnings[0], HasSubstr("need not carry over between batch sizes"));
}

TEST(EpochsNeeded, PatienceEndsWhereACurveBecomesFlat) {
  const TrainingGoal goal{.metric = "acc", .patience = 3};
  const LearningCurve whole = planted({CurveFamily::exponential, 4, 1}, 0.9, 0.8, 200, 0.004);
  const double real = *epochs_when_reached(whole, goal);
  const auto needed = epochs_needed(first(whole, 8), {goal, 0, 0});
  ASSERT_TRUE(needed);
  EXPECT_GT(needed->epochs.mid, 8 + 3 - 1);
  EXPECT_TRUE(needed->epochs.contains(real)) << real;
  EXPECT_GT(needed->chance_reached, 0.9);
}

TEST(EpochsNeeded, FlatAndHugeValuesAreNoTrouble) {
  LearningCurve flat, huge;
  for (int t = 1; t <= 10; ++t) {
    flat.points.push_back({double(t), 0.5});
    huge.points.push_back({double(t), t % 2 == 0 ? 1e307 : -1e307});
  }
  const EpochsQuestion patience{{.metric = "acc", .patience = 30}, 0, 0};
  for (const LearningCurve& curve : {flat, huge}) {
    EXPECT_TRUE(epochs_needed(curve, accuracy(1.5e308)));
    EXPECT_TRUE(epochs_needed(curve, patience));
    EXPECT_TRUE(
        epochs_needed(curve, accuracy(1.5e308), std::vector<EarlierCurve>{{"a", curve, 0}}));
  }
  EXPECT_TRUE(epochs_needed(flat, accuracy(0.5 + 1e-16 * 4)));
}

TEST(EpochsNeeded, TheSameQuestionHasTheSameAnswer) {
  const auto curve = planted({CurveFamily::log_power, 8, 2}, 0.9, 0.8, 15, 0.004);
  EXPECT_EQ(epochs_needed(curve, accuracy(0.87))->epochs,
            epochs_needed(curve, accuracy(0.87))->epochs);
}

/// Counts, over curves of random families that are seen for a random share of the way, how often
/// the real number of epochs lies in the interval, and how often "not reached" is said of a curve
/// that gets there.
TEST(EpochsNeeded, IntervalsCoverWhatTheySay) {
  SeededNumbers numbers(2024);
  constexpr CurveFamily kFamilies[] = {CurveFamily::power, CurveFamily::shifted_power,
                                       CurveFamily::exponential, CurveFamily::janoschek,
                                       CurveFamily::log_power};
  int judged = 0, covered = 0, said_never = 0;
  for (int i = 0; i < 300; ++i) {
    const CurveShape shape{kFamilies[i % 5], std::exp(2.5 + 0.5 * numbers.normal()),
                           0.5 + 1.2 * numbers.uniform()};
    const LearningCurve whole = planted(shape, 0.9, 0.8, 300, 0.003, 1000 + i);
    const double target = whole.points[static_cast<std::size_t>(20 + 80 * numbers.uniform())].value;
    const auto real = epochs_when_reached(whole, accuracy(target).goal);
    const auto seen = static_cast<std::size_t>(*real * (0.2 + 0.7 * numbers.uniform()));
    if (seen < 4) continue;
    const auto needed = epochs_needed(first(whole, seen), accuracy(target));
    ASSERT_TRUE(needed);
    ++judged;
    covered += needed->epochs.contains(*real);
    said_never += needed->chance_reached < 0.5;
  }
  EXPECT_GT(judged, 200);
  EXPECT_GE(covered, 0.9 * judged);
  EXPECT_LE(said_never, 0.05 * judged);
}

}  // namespace
}  // namespace lapcast
