#include "lap/counted_laps.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

struct At {
  double seconds;
  std::string line;
};

/// Returns what a lap log says that is made of lines, each at a time.
LapLog log_of(const std::vector<At>& lines, double end, bool by_itself = false) {
  CountedLaps laps;
  const LinePattern pattern = LinePattern::usual();
  std::string text = "lapcast-laps 1\n0 hello clock=0\n";
  for (const At& each : lines)
    if (const auto counters = pattern.match(each.line))
      text += laps.take(*counters, static_cast<std::int64_t>(each.seconds * 1e9));
  text += laps.finish(static_cast<std::int64_t>(end * 1e9), by_itself);
  LapLogReader reader;
  reader.feed(text);
  reader.finish();
  EXPECT_FALSE(reader.log().damage) << text;
  return reader.log();
}

/// Returns the laps as "begin-end" in seconds.
std::string spans(const LapLog& log) {
  std::string text;
  for (const Lap& lap : log.laps)
    text +=
        fmt::format("{}{:g}-{:g}", text.empty() ? "" : " ", lap.begin_ns * 1e-9, lap.end_ns * 1e-9);
  return text;
}
std::string epochs(const LapLog& log) {
  std::string text;
  for (const EpochSpan& epoch : log.epochs)
    text += fmt::format("{}{}:{}{}", text.empty() ? "" : " ", epoch.epoch, epoch.laps,
                        epoch.ended ? "" : "+");
  return text;
}

// "Epoch 1/3" alone comes before its epoch, so that the last one ends with the program.
TEST(CountedLaps, EpochsThatAreAnnounced) {
  const LapLog log = log_of({{2, "Epoch 1/3"}, {5, "Epoch 2/3"}, {8, "Epoch 3/3"}}, 11, true);
  EXPECT_EQ(spans(log), "2-5 5-8 8-11");
  EXPECT_EQ(epochs(log), "1:1 2:1 3:1");
  EXPECT_EQ(log.plan->epochs, 3);
  EXPECT_EQ(log.plan->iterations_per_epoch, 1);
}

// With a loss it comes after its epoch: the first one lasted as long as the second one, 3 s.
TEST(CountedLaps, EpochsThatAreOver) {
  const LapLog log = log_of({{5, "Epoch 1: loss 0.5"}, {8, "Epoch 2: loss 0.4"}}, 9);
  EXPECT_EQ(spans(log), "2-5 5-8");
  EXPECT_EQ(epochs(log), "1:1 2:1");
  EXPECT_FALSE(log.plan);
  EXPECT_EQ(spans(log_of({{5, "Epoch 0: 0.5"}, {8, "Epoch 1: 0.4"}}, 9)), "2-5 5-8");
}

// The first epoch compiled for 4 s of its 4.39 s, and says so; the next one took 0.2 s.
TEST(CountedLaps, AFirstEpochTakesAsLongAsItsLineSays) {
  EXPECT_EQ(spans(log_of({{10, "Epoch 1/20: loss=0.0100 time=4.39s"},
                          {10.2, "Epoch 2/20: loss=0.0090 time=0.20s"},
                          {10.4, "Epoch 3/20: loss=0.0080 time=0.20s"}},
                         11)),
            "5.61-10 10-10.2 10.2-10.4");
  // A time that is longer than the program ran is none of this epoch.
  EXPECT_EQ(spans(log_of({{5, "Epoch 1: 0.5 took 50 s"}, {8, "Epoch 2: 0.4 took 50 s"}}, 9)),
            "2-5 5-8");
}

TEST(CountedLaps, SayWhetherTheFirstLapIsAssumed) {
  const auto assumes = [](const char* first, const char* second) {
    CountedLaps laps;
    const LinePattern pattern = LinePattern::usual();
    laps.take(*pattern.match(first), 5'000'000'000);
    laps.take(*pattern.match(second), 8'000'000'000);
    return laps.assumes_first();
  };
  EXPECT_TRUE(assumes("Epoch 1: loss 0.5", "Epoch 2: loss 0.4"));
  EXPECT_FALSE(assumes("Epoch 1: loss 0.5 (3.1 s)", "Epoch 2: loss 0.4 (3.0 s)"));
  EXPECT_FALSE(assumes("Epoch 51: loss 0.5", "Epoch 52: loss 0.4"));
  EXPECT_FALSE(assumes("Epoch 1/3", "Epoch 2/3"));
}

TEST(CountedLaps, ASecondLineOfAnEpochSaysNothingNew) {
  const LapLog log = log_of({{5, "Epoch 1: loss 0.5"},
                             {6, "Epoch 1: val 0.7"},
                             {8, "Epoch 2: 0.4"},
                             {9, "Epoch 2: val 0.6"}},
                            9);
  EXPECT_EQ(spans(log), "2-5 5-8");
}

TEST(CountedLaps, AResumedCounterHasNothingBefore) {
  const LapLog log = log_of({{5, "Epoch 51: 0.5"}, {8, "Epoch 52: 0.4"}}, 9);
  EXPECT_EQ(spans(log), "5-8");
  EXPECT_EQ(epochs(log), "52:1");
}

// 10 steps in 1 s: each 0.1 s. The first ten are taken to have begun at 2 s.
TEST(CountedLaps, StepsShareTheTimeBetweenLines) {
  const LapLog log = log_of({{3, "step 10/100"}, {4, "step 20/100"}, {5, "step 30/100"}}, 5);
  ASSERT_EQ(log.laps.size(), 30u);
  EXPECT_EQ(log.laps.front().begin_ns, 2'000'000'000);
  EXPECT_EQ(log.laps[9].end_ns, 3'000'000'000);
  EXPECT_EQ(log.laps[10].end_ns, 3'100'000'000);
  EXPECT_EQ(log.plan->steps, 100);
  EXPECT_EQ(log.plan->from, "step/100");
  EXPECT_TRUE(log.epochs.empty());
}

TEST(CountedLaps, FewLinesOfManyLapsAreNotTold) {
  CountedLaps laps;
  const auto take = [&](std::int64_t step, std::int64_t at) {
    return laps.take({.step = step}, at * 1'000'000'000);
  };
  for (const int n : {1, 2, 3}) EXPECT_EQ(take(10 * n, n), "");
  EXPECT_NE(take(40, 4), "");
  EXPECT_NE(take(50, 5), "");
}

// Each epoch has 4 steps of 1 s; every second one is told. Between two epochs 3 s go by.
TEST(CountedLaps, AnotherEpochBegins) {
  const LapLog log = log_of({{3, "Epoch [1/2], Step [2/4]"},
                             {5, "Epoch [1/2], Step [4/4]"},
                             {10, "Epoch [2/2], Step [2/4]"},
                             {12, "Epoch [2/2], Step [4/4]"}},
                            13, true);
  EXPECT_EQ(spans(log), "1-2 2-3 3-4 4-5 8-9 9-10 10-11 11-12");
  EXPECT_EQ(epochs(log), "1:4 2:4");
  EXPECT_EQ(log.plan->epochs, 2);
  EXPECT_EQ(log.plan->iterations_per_epoch, 4);
}

// Five steps of 1 s, of which every second one is told: the fifth lies between two lines.
TEST(CountedLaps, WhatAnEpochLacksIsBetweenTheLines) {
  const LapLog log = log_of({{2, "epoch 1 step 2/5"},
                             {4, "epoch 1 step 4/5"},
                             {7, "epoch 2 step 2/5"},
                             {9, "epoch 2 step 4/5"}},
                            9);
  EXPECT_EQ(spans(log), "0-1 1-2 2-3 3-4 4-5 5-6 6-7 7-8 8-9");
  EXPECT_EQ(epochs(log), "1:5 2:4+");
}

TEST(CountedLaps, ABarWithAnotherTotalIsAValidation) {
  const char* const form = "{}%|#| {}/{} [00:01]";
  const auto bar = [&](int n, int of) { return fmt::format(fmt::runtime(form), n, n, of); };
  const LapLog log = log_of({{1, bar(0, 3)},
                             {2, bar(1, 3)},
                             {3, bar(2, 3)},
                             {4, bar(3, 3)},
                             {4, bar(0, 2)},
                             {5, bar(2, 2)},
                             {6, bar(0, 3)},
                             {7, bar(1, 3)},
                             {8, bar(2, 3)}},
                            8);
  EXPECT_EQ(spans(log), "1-2 2-3 3-4 6-7 7-8");
  EXPECT_EQ(epochs(log), "1:3 2:2+");
  ASSERT_EQ(log.validations.size(), 1u);
  EXPECT_EQ(log.validations[0].span, (Span{4'000'000'000, 5'000'000'000}));
  EXPECT_EQ(log.plan->iterations_per_epoch, 3);
  EXPECT_EQ(log.plan->epochs, 0);  // a bar says nothing of the whole training
}

TEST(CountedLaps, ABarOfPreparationsIsNotTheTraining) {
  const LapLog log = log_of({{1, "50%|#| 1/2 [00:01]"},
                             {2, "100%|#| 2/2 [00:01]"},
                             {3, "0%|#| 0/9 [00:01]"},
                             {6, "11%|#| 1/9 [00:01]"},
                             {9, "22%|#| 2/9 [00:01]"},
                             {12, "33%|#| 3/9 [00:01]"}},
                            12);
  EXPECT_EQ(log.phases.size(), 2u);
  EXPECT_EQ(log.laps.back().phase, 1);
  EXPECT_EQ(log.plan->iterations_per_epoch, 9);
}

TEST(CountedLaps, ACounterOfAllEpochs) {
  const LapLog log = log_of({{1, "epoch 1 step 1/6"},
                             {2, "epoch 1 step 2/6"},
                             {3, "epoch 2 step 3/6"},
                             {4, "epoch 2 step 4/6"}},
                            4);
  EXPECT_EQ(spans(log), "0-1 1-2 2-3 3-4");
  EXPECT_EQ(epochs(log), "1:2 2:2+");
  EXPECT_EQ(log.plan->steps, 6);
}

TEST(CountedLaps, TheProgramsOwnSeconds) {
  CountedLaps laps;
  std::string text = "lapcast-laps 1\n0 hello clock=0\n";
  for (int i = 1; i <= 3; ++i) text += laps.take({.step = i, .seconds = 0.5}, i * 2'000'000'000LL);
  text += laps.finish(7'000'000'000, false);
  LapLogReader reader;
  reader.feed(text);
  EXPECT_EQ(spans(reader.log()), "1.5-2 3.5-4 5.5-6");
}

TEST(CountedLaps, LinesWithoutCounters) {
  CountedLaps laps;
  EXPECT_EQ(laps.take({}, 5), "5 i 0\n");
  EXPECT_EQ(laps.take({.samples = 32}, 9), "9 i 32\n");
}

TEST(CountedLaps, CountersThatJumpAreNoLaps) {
  const LapLog log = log_of(
      {{1, "step 1"}, {2, "step 2"}, {3, "step 900000000000000"}, {4, "step 900000000000001"}}, 4);
  EXPECT_EQ(spans(log), "0-1 1-2 3-4");
}

}  // namespace
}  // namespace lapcast
