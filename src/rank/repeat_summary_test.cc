#include "rank/repeat_summary.h"

#include <gmock/gmock.h>

#include "run/random_run_test.h"

namespace lapcast {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Run full_run(const std::string& machine, double seconds, const std::string& usd_per_hour = "") {
  Run run;
  run.context.kind = RunKind::full;
  run.context.machine_type.name = machine;
  run.context.settings = {{"batch", "64"}, {"seed", "1"}};
  run.started_ns = 0;
  run.ended_ns = to_ns(Seconds{seconds});
  run.outcome = outcome::Ended{};
  if (!usd_per_hour.empty()) {
    Offer offer;
    offer.name = offer.machine_type = machine;
    offer.price.per_hour = Money::parse(usd_per_hour);
    run.context.price = offer;
  }
  return run;
}

std::vector<RepeatGroup> two_groups() {
  // slow: 10, 12, 14 s; fast: 5, 6, 7 s after a warm-up run of 30 s.
  std::vector<Run> runs;
  for (const double seconds : {10.0, 12.0, 14.0}) runs.push_back(full_run("slow", seconds, "3.6"));
  runs.push_back(full_run("fast", 30, "3.6"));
  runs.back().context.warm_up = true;
  for (const double seconds : {5.0, 6.0, 7.0}) runs.push_back(full_run("fast", seconds, "3.6"));
  return repeat_groups(runs);
}

TEST(RepeatSummary, GroupsByMachineAndSettingsWithoutTheSeed) {
  std::vector<lapcast::Run> runs{full_run("a", 1), full_run("a", 2), full_run("b", 1)};
  runs[1].context.settings["seed"] = "2";
  lapcast::Run probe = full_run("c", 1);
  probe.context.kind = RunKind::probe;
  runs.push_back(probe);
  lapcast::Run failed = full_run("b", 1);
  failed.outcome = outcome::Crashed{1, 0};
  runs.push_back(failed);
  const std::vector<RepeatGroup> groups = repeat_groups(runs);
  ASSERT_THAT(groups, SizeIs(2));
  EXPECT_EQ(name_of(groups[0]), "a batch=64");
  EXPECT_THAT(groups[0].runs, SizeIs(2));
  EXPECT_THAT(groups[1].runs, SizeIs(1));
}

TEST(RepeatSummary, CountsNoWarmUpRun) {
  const RepeatSummary summary = summarise_repeats(two_groups(), 0, {});
  ASSERT_THAT(summary.rows, SizeIs(2));
  EXPECT_EQ(summary.rows[1].warm_ups, 1U);
  EXPECT_THAT(summary.rows[1].times, ElementsAre(5, 6, 7));
}

// 4 cores of the fast machine against 1 of the slow one let expect 12 / 4 = 3 s; 6 s are twice
// that.
TEST(RepeatSummary, ExpectsTimesByCoresAndClock) {
  std::vector<RepeatGroup> groups = two_groups();
  for (std::size_t i = 0; i < groups.size(); ++i)
    for (lapcast::Run& run : groups[i].runs) {
      run.context.machine.allowed_cpus = i == 0 ? std::vector{0} : std::vector{0, 1, 2, 3};
      run.context.machine.max_clock_ghz = 2.5;
    }
  const RepeatSummary summary = summarise_repeats(groups, 0, {});
  EXPECT_DOUBLE_EQ(summary.rows[1].expectation->seconds.mid, 3);
  EXPECT_DOUBLE_EQ(summary.rows[1].expectation->ratio.mid, 2);
  EXPECT_DOUBLE_EQ(summary.rows[0].expectation->ratio.mid, 1);
  EXPECT_FALSE(summarise_repeats(two_groups(), 0, {}).rows[1].expectation);  // no clock
}

TEST(RepeatSummary, TestsEveryAccuracy) {
  std::vector<RepeatGroup> groups = two_groups();
  for (RepeatGroup& group : groups)
    for (lapcast::Run& run : group.runs)
      run.lap_logs = {
          "lapcast-laps 1\n0 hello clock=0 wall=1.0 pid=7 rank=0 world=1 host=b emitter=t/1\n"
          "1 i 8\n2 metric accuracy 0.9\n3 metric val_accuracy 0.7\n4 metric accuracy 0.8\n"
          "5 metric val_accuracy 0.6\n6 bye\n"};
  const RepeatSummary summary = summarise_repeats(groups, 0, {});
  EXPECT_THAT(summary.rows[1].accuracies, ElementsAre(0.7, 0.7, 0.7));
  EXPECT_THAT(summary.rows[1].training_accuracies, ElementsAre(0.9, 0.9, 0.9));
  EXPECT_THAT(summary.rows[1].last_accuracies, ElementsAre(0.6, 0.6, 0.6));
  EXPECT_THAT(summary.rows[1].last_training_accuracies, ElementsAre(0.8, 0.8, 0.8));
  std::vector<std::string> tested;
  for (const RepeatTest& test : summary.tests) tested.push_back(test.metric.name);
  EXPECT_THAT(tested, ElementsAre("time", "accuracy", "training-accuracy", "last-accuracy",
                                  "last-training-accuracy"));
}

TEST(RepeatSummary, SpeedUpAndCostEfficiencyAreOverTheBaseline) {
  const RepeatSummary summary = summarise_repeats(two_groups(), 0, {});
  EXPECT_DOUBLE_EQ(summary.rows[0].speed_up->mid, 1);
  EXPECT_DOUBLE_EQ(summary.rows[1].speed_up->mid, 2);  // 12 / 6
  EXPECT_LT(summary.rows[1].speed_up->low, 2);
  // 3.60 USD/h are 0.001 USD/s: 0.012 and 0.006 USD on average.
  EXPECT_THAT(summary.rows[1].costs, ElementsAre(DoubleNear(0.005, 1e-9), DoubleNear(0.006, 1e-9),
                                                 DoubleNear(0.007, 1e-9)));
  EXPECT_NEAR(*summary.rows[1].cost_efficiency, 0.5, 1e-9);
  const RepeatSummary reversed = summarise_repeats(two_groups(), 1, {});
  EXPECT_DOUBLE_EQ(reversed.rows[0].speed_up->mid, 0.5);
  EXPECT_NEAR(*reversed.rows[0].cost_efficiency, -1, 1e-9);  // twice as dear
}

TEST(RepeatSummary, HolmsCorrectionCountsAllPairsOfAMetric) {
  std::vector<lapcast::Run> runs;
  for (const double seconds : {10.0, 12.0, 14.0}) runs.push_back(full_run("slow", seconds));
  for (const double seconds : {5.0, 6.0, 7.0}) runs.push_back(full_run("fast", seconds));
  for (const double seconds : {5.1, 6.1, 7.1}) runs.push_back(full_run("like-fast", seconds));
  const RepeatSummary summary = summarise_repeats(repeat_groups(runs), 0, {});
  ASSERT_THAT(summary.tests, SizeIs(3));  // by time only: no run has an accuracy
  const RepeatTest& slow_fast = summary.tests[0];
  EXPECT_EQ(slow_fast.a, 0U);
  EXPECT_EQ(slow_fast.b, 1U);
  // t = 6 / sqrt(4/3 + 1/3) = 4.65 with 2.94 degrees of freedom: p = 0.0196, the smallest of three.
  EXPECT_NEAR(slow_fast.comparison.test->p_value, 0.0196, 2e-3);
  EXPECT_NEAR(*slow_fast.adjusted_p, 3 * slow_fast.comparison.test->p_value, 1e-12);
  const std::vector<std::string> names{"slow", "fast", "like-fast"};
  const auto words = words_of_tests(summary, parse_run_metric("time"), names);
  ASSERT_THAT(words, SizeIs(2));
  EXPECT_EQ(words[0], "time: fast has the best mean");
  EXPECT_THAT(words[1], HasSubstr("not told apart from it: slow, like-fast"));  // 0.059 > 0.05
  EXPECT_THAT(words_of_tests(summary, parse_run_metric("accuracy"), names), IsEmpty());
}

TEST(RepeatSummary, SaysHowMuchWorseTheOthersAre) {
  std::vector<lapcast::Run> runs;
  for (const double seconds : {10.0, 10.1, 9.9}) runs.push_back(full_run("slow", seconds));
  for (const double seconds : {5.0, 5.1, 4.9}) runs.push_back(full_run("fast", seconds));
  const std::vector<std::string> names{"slow", "fast"};
  const RepeatSummary summary = summarise_repeats(repeat_groups(runs), 0, {});
  EXPECT_THAT(words_of_tests(summary, parse_run_metric("time"), names),
              ElementsAre("time: fast has the best mean",
                          "worse, and not by chance: slow (2 times as long)"));
}

TEST(RepeatSummary, TheGpuIsComparedWithTheCoresBesideItAndWithThoseOfTheServer) {
  // Table 2 of Carneiro 2018: 1925 s on Colab's cores, 135 s on its GPU, and 396 s on the server's
  // cores, which follow from 2.93: the paper prints <14.77, 2.93>; 1925 / 135 is 14.26.
  const auto with_device = [](const char* machine, const char* device, double seconds) {
    lapcast::Run run = full_run(machine, seconds);
    run.context.settings["device"] = device;
    return run;
  };
  const std::vector<lapcast::Run> runs{with_device("colab", "cpu", 1925),
                                       with_device("colab", "cuda", 135),
                                       with_device("server", "cpu", 396)};
  const RepeatSummary summary = summarise_repeats(repeat_groups(runs), 0, {}, "server");
  EXPECT_FALSE(summary.rows[0].over_cores);
  EXPECT_NEAR(summary.rows[1].over_cores->mid, 14.259, 5e-4);
  EXPECT_NEAR(summary.rows[1].over_server->mid, 2.933, 5e-4);
  EXPECT_FALSE(summarise_repeats(repeat_groups(runs), 0, {}).rows[1].over_server);
}

TEST(RepeatSummary, OneRunIsNotTested) {
  const std::vector<lapcast::Run> runs{full_run("slow", 4), full_run("fast", 2)};
  const RepeatSummary summary = summarise_repeats(repeat_groups(runs), 0, {});
  EXPECT_EQ(summary.rows[1].speed_up, (Interval<double>{2, 2, 2}));
  ASSERT_THAT(summary.tests, SizeIs(1));
  EXPECT_FALSE(summary.tests[0].adjusted_p);
  EXPECT_THAT(words_of_tests(summary, parse_run_metric("time"), std::vector<std::string>{"s", "f"}),
              ElementsAre("time: f has the best mean", "not tested (one run, or no spread): s"));
}

}  // namespace
}  // namespace lapcast
