#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "history/assessment.h"
#include "rank/ranking.h"

namespace lapcast {
namespace {

using testing::ElementsAre;

using SettingsOfRun = std::map<std::string, std::string>;

/// Returns a training of so many epochs of one lap.
Run training_of(std::int64_t epochs, SettingsOfRun settings, const std::string& sweep = "5eeb") {
  Run run;
  run.context.kind = RunKind::find_epochs;
  run.context.settings = std::move(settings);
  run.context.sweep = sweep;
  run.outcome = outcome::Ended{};
  std::string log = "lapcast-laps 1\n0 hello clock=0\n";
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch)
    log += fmt::format("{0}0 epoch-begin {0}\n{0}5 i 8\n{0}7 epoch-end {0}\n", epoch);
  run.lap_logs = {log};
  return run;
}

// The mean of 4, 5, 5, 7 and 6 is 5.4, and that of 4 and 5 is 4.5, which is rounded up.
TEST(LearnedEpochs, AreTheRoundedMeanOfTheRepeats) {
  std::vector<lapcast::Run> runs;
  for (const std::int64_t epochs : {4, 5, 5, 7, 6}) runs.push_back(training_of(epochs, {}));
  const auto learned = learned_epochs(runs);
  EXPECT_EQ(learned.at({}).epochs, 5);
  EXPECT_THAT(learned.at({}).trained, ElementsAre(4, 5, 5, 7, 6));
  runs.resize(2);
  EXPECT_EQ(learned_epochs(runs).at({}).epochs, 5);
}

TEST(LearnedEpochs, OfRepeatsWithSeedsCountForTheProbesWithSeed0) {
  const std::vector<lapcast::Run> runs{training_of(4, {{"batch", "32"}, {"seed", "1"}}),
                                       training_of(8, {{"batch", "32"}, {"seed", "2"}}),
                                       training_of(20, {{"batch", "64"}, {"seed", "1"}})};
  const auto learned = learned_epochs(runs);
  EXPECT_EQ(learned.at({{"batch", "32"}, {"seed", "0"}}).epochs, 6);
  EXPECT_EQ(learned.at({{"batch", "64"}, {"seed", "0"}}).epochs, 20);
  EXPECT_EQ(learned.at({{"batch", "32"}, {"seed", "2"}}).epochs, 8);
}

TEST(LearnedEpochs, SeedsThatTheUserNamedStayApart) {
  const std::vector<lapcast::Run> runs{training_of(4, {{"seed", "0"}}),
                                       training_of(8, {{"seed", "1"}})};
  const auto learned = learned_epochs(runs);
  EXPECT_THAT(learned.at({{"seed", "0"}}).trained, ElementsAre(4));
  EXPECT_THAT(learned.at({{"seed", "1"}}).trained, ElementsAre(8));
}

TEST(LearnedEpochs, OfTheNewestSweepAndWayToStopCount) {
  std::vector<lapcast::Run> runs{training_of(40, {}, "a"), training_of(4, {}, "b"),
                                 training_of(6, {}, "b")};
  EXPECT_THAT(learned_epochs(runs).at({}).trained, ElementsAre(4, 6));
  runs.back().context.patience = 3;  // without a metric it still counts its epochs
  EXPECT_THAT(learned_epochs(runs).at({}).trained, ElementsAre(6));
  runs.back().outcome = outcome::Interrupted{};
  EXPECT_THAT(learned_epochs(runs).at({}).trained, ElementsAre(4));
}

/// Returns a candidate of 10 s and 2 s for each of its epochs.
Candidate candidate_of_epochs(double epochs) {
  Candidate candidate{.run_id = "r", .machine_type = "box", .time = Interval<Seconds>{}};
  const double mid = 10 + 2 * epochs;
  candidate.time = Interval<Seconds>{Seconds{mid - 3}, Seconds{mid}, Seconds{mid + 4}};
  candidate.epochs = epochs;
  candidate.time_by_epochs = [](double e) { return Seconds{10 + 2 * std::max(1.0, e)}; };
  return candidate;
}

// 10, 12 and 14 have a deviation of 2; with t(0.975, 2) = 4.302653 one more training is within
// 4.302653 * 2 * sqrt(4 / 3) = 9.936561 epochs: 14.126878 s and 53.873122 s, which are 0.878261 and
// 0.460285 away from 34 s in ln. The forecast's own 31 s and 38 s are 0.092373 and 0.111226 away.
// The squares are added: 0.883106 and 0.473533.
TEST(LearnedEpochs, TheirSpreadWidensTheTime) {
  Candidate candidate = candidate_of_epochs(12);
  add_learned(candidate, {.epochs = 12, .trained = {10, 12, 14}, .accuracy = 0.9});
  EXPECT_EQ(candidate.accuracy, 0.9);
  EXPECT_THAT(candidate.trained_epochs, ElementsAre(10, 12, 14));
  EXPECT_NEAR(candidate.time->low.count(), 34 * std::exp(-0.883106), 1e-3);
  EXPECT_EQ(candidate.time->mid, Seconds{34});
  EXPECT_NEAR(candidate.time->high.count(), 34 * std::exp(0.473533), 1e-3);
}

// 1 and 3 have a deviation of 1.414214; with t(0.975, 1) = 12.706205 one more training is within
// 22.007793 epochs. None is shorter than one epoch, which is 12 s and 0.154151 below 14 s in ln.
// The forecast's own 11 s is 0.241162 below: together 0.286223.
TEST(LearnedEpochs, NoTrainingIsShorterThanOneEpoch) {
  Candidate candidate = candidate_of_epochs(2);
  add_learned(candidate, {.epochs = 2, .trained = {1, 3}});
  EXPECT_NEAR(candidate.time->low.count(), 14 * std::exp(-0.286223), 1e-3);
  EXPECT_GT(candidate.time->high, Seconds{40});
}

// A start of which 8 s came with the warm-up, then 0.8 s an epoch: 2 epochs take 1.6 s, as the
// warm-up was over in the first one. However far the trainings differ, no time is below 0.
TEST(LearnedEpochs, TheirTimeIsAboveZeroHoweverFarTheyDiffer) {
  for (const std::vector<std::int64_t>& trained :
       std::vector<std::vector<std::int64_t>>{{1, 3}, {1, 1, 4}, {1, 199}}) {
    const auto mean = std::llround(static_cast<double>(
        std::accumulate(trained.begin(), trained.end(), std::int64_t{0}) / std::ssize(trained)));
    Candidate candidate = candidate_of_epochs(static_cast<double>(mean));
    candidate.time_by_epochs = [](double e) { return Seconds{-8 + 9 * std::max(1.0, e)}; };
    const Seconds mid = candidate.time_by_epochs(candidate.epochs);
    candidate.time = Interval<Seconds>{0.1 * mid, mid, 3 * mid};
    add_learned(candidate, {.epochs = mean, .trained = trained});
    EXPECT_GT(candidate.time->low, Seconds{0});
    EXPECT_LT(candidate.time->low, 0.1 * mid);
    EXPECT_EQ(candidate.time->mid, mid);
  }
}

TEST(LearnedEpochs, WidenNothingWhereTheyAreOfOneTrainingOrOfAnotherPlan) {
  for (const LearnedEpochs& learned :
       {LearnedEpochs{.epochs = 12, .trained = {12}},
        LearnedEpochs{.epochs = 9, .trained = {8, 10}}, LearnedEpochs{}}) {
    Candidate candidate = candidate_of_epochs(12);
    add_learned(candidate, learned);
    EXPECT_EQ(candidate.time->low, Seconds{31});
    EXPECT_TRUE(candidate.trained_epochs.empty());
  }
  Candidate unknown{.time = because("no laps")};
  add_learned(unknown, {.epochs = 2, .trained = {1, 3}});
  EXPECT_FALSE(unknown.time);
}

}  // namespace
}  // namespace lapcast
