#include "lap/output_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::HasSubstr;

/// Returns the counters as "epoch/epochs step/steps", with "-" for what is absent.
std::string in_short(const std::optional<LineCounters>& line) {
  if (!line) return "nothing";
  const auto text = [](const LineCounters::Field& field) {
    return field ? std::to_string(*field) : "-";
  };
  return text(line->epoch) + "/" + text(line->epochs) + " " + text(line->step) + "/" +
         text(line->steps);
}
std::string usual(const char* line) {
  return in_short(LinePattern::usual().match(line));
}

TEST(UsualLines, AreRecognized) {
  EXPECT_EQ(usual("Epoch 3/90"), "3/90 -/-");
  EXPECT_EQ(usual("Epoch: 3, loss 0.25"), "3/- -/-");
  EXPECT_EQ(usual("[Epoch 3 of 90] done"), "3/90 -/-");
  EXPECT_EQ(usual("Epoch [1/5], Step [100/600], Loss: 0.5"), "1/5 100/600");
  EXPECT_EQ(usual("Epoch: [0][  10/5005]  Time 0.2 (0.3)"), "0/- 10/5005");
  EXPECT_EQ(usual("step 100/5000"), "-/- 100/5000");
  EXPECT_EQ(usual("iter 100: loss 2.3, time 35.2ms"), "-/- 100/-");
  EXPECT_EQ(usual("train:  34%|###4      | 34/100 [00:05<00:09, 6.9it/s]"), "-/- 34/100");
  EXPECT_EQ(usual("123it [00:05, 20.1it/s]"), "-/- 123/-");
  EXPECT_EQ(usual("45/1875 \xe2\x94\x81\xe2\x94\x81 12s 7ms/step"), "-/- 45/1875");
  EXPECT_EQ(usual(" 45/1875 [====>....] - ETA: 12s"), "-/- 45/1875");
}

TEST(UsualLines, NothingElseIs) {
  for (const char* line : {"", "batch size 64", "lr 0.1", "num_epochs 5", "Epochs: 20",
                           "2026-11-23", "45/1875", "100 steps"})
    EXPECT_EQ(usual(line), "nothing") << line;
}

TEST(LinePattern, NamesItsGroups) {
  const auto pattern = LinePattern::of(R"(it=(?P<step>\d+) of (?<steps>\d+) n=(?P<samples>\d+))");
  ASSERT_TRUE(pattern);
  const auto line = pattern->match("it=5 of 90 n=32");
  EXPECT_EQ(in_short(line), "-/- 5/90");
  EXPECT_EQ(line->samples, 32);
  EXPECT_EQ(in_short(LinePattern::of(R"(Epoch (\d+)/(\d+))")->match("Epoch 3/90")), "3/90 -/-");
  EXPECT_EQ(in_short(LinePattern::of(R"((\d+) done)")->match("17 done")), "-/- 17/-");
  EXPECT_EQ(in_short(LinePattern::of("tick")->match("a tick")), "-/- -/-");
  EXPECT_EQ(LinePattern::of(R"(took (?P<seconds>[\d.]+))")->match("took 1.5 s")->seconds, 1.5);
}

TEST(LinePattern, SaysWhatIsWrong) {
  EXPECT_THAT(LinePattern::of("(").error().text, HasSubstr("not a regular expression"));
  EXPECT_THAT(LinePattern::of("(?P<loss>.)").error().text, HasSubstr("'loss' means nothing"));
}

TEST(LinePattern, NumbersThatAreNoneAreAbsent) {
  const auto pattern = LinePattern::of(R"(n (?P<step>\S+))");
  EXPECT_EQ(in_short(pattern->match("n 12345678901234567890")), "-/- -/-");
  EXPECT_EQ(in_short(pattern->match("n -3")), "-/- -/-");
  EXPECT_EQ(in_short(pattern->match("n x")), "-/- -/-");
}

TEST(UsualForms, BarsOfPreparationsAreNone) {
  const LinePattern usual = LinePattern::usual();
  EXPECT_FALSE(usual.match("Downloading:  34%|###   | 34/100 [00:03<00:06,  9.9it/s]"));
  EXPECT_FALSE(usual.match("Map (num_proc=4):  34%|###   | 34/100 [00:03<00:06]"));
  EXPECT_TRUE(usual.match(" 34%|###   | 34/100 [00:03<00:06,  9.9it/s]"));
  EXPECT_TRUE(usual.match("Training:  34%|###   | 34/100 [00:03<00:06,  9.9it/s]"));
  EXPECT_TRUE(usual.match("Training generator:  34%|##   | 34/100 [00:03<00:06,  9.9it/s]"));
  EXPECT_FALSE(usual.match("Loading train split:  34%|##   | 34/100 [00:03<00:06,  9.9it/s]"));
  EXPECT_TRUE(usual.match("Epoch 1 (loading):  34%|###   | 34/100 [00:03<00:06]"));
}

}  // namespace
}  // namespace lapcast
