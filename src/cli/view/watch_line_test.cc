#include "cli/view/watch_line.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

Offer offer() {
  Offer offer;
  offer.price = {Money::parse("3.60")};
  offer.billing = {0, 0};
  return offer;
}

ProbeProgress under_way() {
  ProbeProgress progress;
  progress.elapsed = Seconds{100};
  progress.laps = 400;
  progress.epoch = 3;
  progress.planned_epochs = 12;
  progress.laps_per_second = 4.125;
  progress.total = {Seconds{390}, Seconds{400}, Seconds{420}};
  return progress;
}

TEST(WatchLine, TellsWhereHowFastHowLongAndHowMuch) {
  EXPECT_EQ(watch_line(under_way(), offer()),
            "epoch 3/12, 4.12 laps/s, 5 min 00 s left (4 min 50 s to 5 min 20 s), "
            "0.10 of 0.40 USD (0.39 to 0.42)");
  EXPECT_EQ(watch_line(under_way(), std::nullopt),
            "epoch 3/12, 4.12 laps/s, 5 min 00 s left (4 min 50 s to 5 min 20 s)");
}

TEST(WatchLine, WithoutAForecastItTellsTheClockAndWhy) {
  ProbeProgress progress = under_way();
  progress.total.reset();
  progress.planned_epochs = 0;
  progress.state = "how long to train is not known";
  EXPECT_EQ(watch_line(progress, offer()),
            "epoch 3, 4.12 laps/s, 1 min 40 s so far, 0.10 USD; how long to train is not known");
}

TEST(WatchLine, WithoutLapsThereIsStillTimeAndMoney) {
  ProbeProgress progress;
  progress.elapsed = Seconds{50};
  progress.state = "no laps yet";
  EXPECT_EQ(watch_line(progress, offer()), "50.0 s so far, 0.05 USD; no laps yet");
}

// Every so often: after 10 s, then at least 10 s later, then a quarter later.
TEST(PlainLines, ComeMoreAndMoreRarely) {
  PlainLines plain;
  std::vector<int> due;
  for (int second = 1; second <= 100; ++second)
    if (plain.is_due(Seconds{static_cast<double>(second)})) due.push_back(second);
  EXPECT_EQ(due, (std::vector<int>{10, 20, 30, 40, 50, 63, 79, 99}));
}

}  // namespace
}  // namespace lapcast
