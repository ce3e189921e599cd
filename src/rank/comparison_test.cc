#include "rank/comparison.h"

#include <gmock/gmock.h>

#include <vector>

#include "core/error.h"

namespace lapcast {
namespace {

using testing::HasSubstr;
using Values = std::vector<double>;

const RunMetric kTime = parse_run_metric("time");

TEST(Comparison, WithoutRunsSaysWhatIsMissing) {
  EXPECT_EQ(compare(Values{}, Values{}, kTime).verdict,
            "nothing to compare: neither A nor B has a value of time");
  EXPECT_THAT(compare(Values{}, Values{1}, kTime).verdict, HasSubstr("A has no run with"));
  EXPECT_THAT(compare(Values{1, 2}, Values{}, kTime).verdict, HasSubstr("B has no run with"));
  EXPECT_FALSE(compare(Values{1, 2}, Values{}, kTime).answered());
}

TEST(Comparison, OfSingleRunsMayBeChance) {
  const Comparison single = compare(Values{11.2}, Values{10}, kTime);
  EXPECT_TRUE(single.answered());
  EXPECT_FALSE(single.test);
  EXPECT_THAT(single.verdict, HasSubstr("B is 12 % faster, but that may be chance"));
  EXPECT_THAT(compare(Values{10}, Values{20, 21}, kTime).verdict, HasSubstr("n = 1 and 2"));
}

TEST(Comparison, OfValuesWithoutSpread) {
  EXPECT_THAT(compare(Values{2, 2}, Values{1, 1}, kTime).verdict,
              HasSubstr("B is 100 % faster; no value varies"));
  EXPECT_THAT(compare(Values{2, 2}, Values{2, 2}, kTime).verdict, HasSubstr("A and B are equal"));
}

// The means are 10 and 20, the squared errors 1 and 1: t = -10 / sqrt(2) = -7.07, df = 2, p =
// 0.0194; pooled sd sqrt(2), d = -7.07, times 1 - 3/7: g = -4.04. A / B - 1 = -50 %, by Fieller -72
// to -23 %.
TEST(Comparison, ByHand) {
  const Comparison slower = compare(Values{9, 11}, Values{19, 21}, kTime);
  ASSERT_TRUE(slower.test && slower.gain && slower.gains);
  EXPECT_DOUBLE_EQ(*slower.gain, -0.5);
  EXPECT_NEAR(slower.test->effect_size, -4.0406, 1e-4);
  EXPECT_EQ(slower.verdict, "B is 50 % slower (23 % to 72 %), p = 0.019, large effect");
  const Comparison faster = compare(Values{19, 21}, Values{9, 11}, kTime);
  EXPECT_EQ(faster.verdict, "B is 100 % faster (30 % to 261 %), p = 0.019, large effect");
}

TEST(Comparison, MoneyIsComparedByItsAmountAndTimeBySpeed) {
  const Values one{0.9, 1.1}, two{1.8, 2.2};
  // Twice the cost is 100 % dearer, half of it 50 % cheaper; half the time is 100 % faster.
  EXPECT_DOUBLE_EQ(*compare(one, two, parse_run_metric("cost")).gain, -1);
  EXPECT_DOUBLE_EQ(*compare(two, one, parse_run_metric("cost")).gain, 0.5);
  EXPECT_DOUBLE_EQ(*compare(two, one, parse_run_metric("memory")).gain, 0.5);
  EXPECT_DOUBLE_EQ(*compare(two, one, parse_run_metric("time")).gain, 1);
  const auto gains = compare(two, one, parse_run_metric("cost")).gains;
  ASSERT_TRUE(gains);
  EXPECT_LT(gains->low, gains->mid);
  EXPECT_LT(gains->mid, gains->high);
  EXPECT_LE(gains->high, 1);  // nothing is more than 100 % cheaper
}

TEST(Comparison, LargerIsBetterForThroughput) {
  const Comparison more = compare(Values{9, 11}, Values{19, 21}, parse_run_metric("throughput"));
  EXPECT_THAT(more.verdict, HasSubstr("B is 100 % faster"));
  EXPECT_THAT(compare(Values{0.9, 0.91}, Values{0.8, 0.81}, parse_run_metric("accuracy")).verdict,
              HasSubstr("lower"));
  EXPECT_THAT(compare(Values{0.9, 0.91}, Values{0.8, 0.81}, parse_run_metric("val_loss")).verdict,
              HasSubstr("B is 11 % lower"));
}

TEST(Comparison, NoDifferenceIsSaidWithItsBounds) {
  const Comparison same = compare(Values{9, 10, 11}, Values{9.1, 10.2, 11}, kTime);
  EXPECT_THAT(same.verdict, HasSubstr("no difference can be seen with n = 3 each: B is between"));
  EXPECT_THAT(same.verdict, HasSubstr("slower and"));
}

TEST(Comparison, EffectsAreNamedAsCohenDoes) {
  EXPECT_EQ(size_of_effect(0.1), "negligible");
  EXPECT_EQ(size_of_effect(-0.3), "small");
  EXPECT_EQ(size_of_effect(0.6), "medium");
  EXPECT_EQ(size_of_effect(-0.8), "large");
}

TEST(RunMetric, OfARunToItsEnd) {
  lapcast::Run run;
  run.context.id = "a";
  run.context.kind = RunKind::full;
  run.started_ns = 0;
  run.ended_ns = 3'000'000'000;
  run.outcome = outcome::Ended{};
  run.usage.peak_rss_bytes = 5000;
  run.lap_logs = {
      "lapcast-laps 1\n0 hello clock=0 wall=1.0 pid=7 rank=0 world=1 host=b emitter=t/1\n"
      "100000000 i 8\n200000000 i 8\n300000000 i 8\n400000000 i 8\n"
      "500000000 metric val_accuracy 0.5\n600000000 metric val_accuracy 0.75\n"
      "700000000 metric val_accuracy 0.625\n700000000 metric accuracy 0.875\n"
      "750000000 metric accuracy 0.8125\n"
      "800000000 metric val_loss 2\n850000000 metric val_loss 3\n900000000 bye\n"};
  const auto value = [&](const char* name) { return value_of(run, parse_run_metric(name)); };
  EXPECT_EQ(value("time").value(), 3);
  EXPECT_EQ(value("accuracy").value(), 0.75);
  EXPECT_EQ(value("val_loss").value(), 2);
  EXPECT_EQ(value("training-accuracy").value(), 0.875);
  EXPECT_EQ(value("last-accuracy").value(), 0.625);
  EXPECT_EQ(value("last-training-accuracy").value(), 0.8125);
  EXPECT_EQ(value("last-val_loss").value(), 3);
  EXPECT_EQ(value("last-f1").error().text, "it reported no f1");
  EXPECT_EQ(value("memory").value(), 5000);
  EXPECT_NEAR(value("lap").value(), 0.1, 1e-9);
  EXPECT_NEAR(value("throughput").value(), 80, 1e-6);
  EXPECT_EQ(value("cost").error().text, "it has no price");
  EXPECT_EQ(value("f1").error().text, "it reported no f1");
  run.context.kind = RunKind::probe;
  EXPECT_EQ(value("time").error().text, "it was not run to its end");
  EXPECT_EQ(values_of({run}, kTime).left_out.front(), "a: it was not run to its end");
}

TEST(RunMetric, ARangeIsKnownFromTheKindTheNameAndTheValues) {
  const auto range = [](const char* name, const Values& values) {
    const MetricRange range = range_of(parse_run_metric(name), values);
    return std::pair(range.lowest, range.highest);
  };
  constexpr double kInf = std::numeric_limits<double>::infinity();
  for (const char* name : {"time", "lap", "init", "throughput", "memory", "cost"})
    EXPECT_EQ(range(name, {1, 2}), std::pair(0.0, kInf)) << name;
  for (const char* name : {"accuracy", "val_acc", "top1", "F1", "test-recall", "mean/IoU"})
    EXPECT_EQ(range(name, {0.4, 1}), std::pair(0.0, 1.0)) << name;
  EXPECT_EQ(range("accuracy", {40, 93.5}), std::pair(0.0, 100.0));
  EXPECT_EQ(range("accuracy", {-1, 0.5}), std::pair(-kInf, kInf));
  for (const char* name : {"val_loss", "accuracy_loss", "accumulated", "score", "facc"})
    EXPECT_EQ(range(name, {0.2, 0.9}), std::pair(-kInf, kInf)) << name;
}

TEST(RunMetric, RefusesWhatIsNoWord) {
  for (const char* bad : {"", "a b", "a=b", "\x1b[31m", "last-time", "last-last-val_loss"})
    EXPECT_THROW(parse_run_metric(bad), Error);
  EXPECT_EQ(parse_run_metric("last-").reported, "last-");  // any word may be a program's own
}

}  // namespace
}  // namespace lapcast
