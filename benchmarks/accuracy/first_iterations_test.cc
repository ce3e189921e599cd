#include "accuracy/first_iterations.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "accuracy/logged_run_test.h"

namespace lapcast::accuracy {
namespace {

/// Returns 2 epochs of ImageNet in batches of 12811.67, which is 100 iterations each. An iteration
/// takes 1 s from second 1 on, but 2 s in the first line. Training waits for 5 s of the
/// evaluation's 8 s.
LoggedRun two_epochs() {
  LoggedRun run = run_of(MllogUnit::epoch, 2);
  run.benchmark = "resnet";
  run.total = Seconds{250};
  run.global_batch = 12811.67;
  run.progress_kind = "mxnet";
  run.progress = {{Seconds{41}, 0, 20, 12811.67 / 2}, {Seconds{61}, 0, 40, 12811.67},
                  {Seconds{81}, 0, 60, 12811.67},     {Seconds{101}, 0, 80, 12811.67},
                  {Seconds{121}, 0, 100, 12811.67},   {Seconds{160}, 1, 20, 12811.67}};
  log(run, MllogKey::epoch_start, {1, 126});
  log(run, MllogKey::eval_start, {121, 230});
  log(run, MllogKey::eval_stop, {129, 235});
  return run;
}

TEST(FirstIterations, AreLapsOfTheirLines) {
  const LoggedRun run = two_epochs();
  const auto probe = probe_of_iterations(run);
  ASSERT_TRUE(probe) << probe.error().text;
  ASSERT_EQ(probe->log.laps.size(), 100u);
  EXPECT_EQ(probe->log.laps[0].begin_ns, 1'000'000'000);
  EXPECT_EQ(probe->log.laps[0].seconds(), Seconds{2});
  EXPECT_EQ(probe->log.laps[99].seconds(), Seconds{1});
  EXPECT_EQ(probe->log.laps[99].end_ns, 121'000'000'000);
  ASSERT_EQ(probe->log.validations.size(), 1u);
  EXPECT_EQ(probe->log.validations[0].span.seconds(), Seconds{5});
  EXPECT_EQ(probe->plan.epochs, 2);
  EXPECT_EQ(probe->plan.training_samples, 1'281'167);
  EXPECT_DOUBLE_EQ(probe->profile.validations.every, 1);
}

TEST(FirstIterations, ThePapersFormula) {
  // The first line ends at 41 s, the other 180 iterations take 1 s each, and two evaluations 5 s
  // each.
  const LoggedRun run = two_epochs();
  EXPECT_NEAR(probe_of_iterations(run)->papers.count(), 41 + 180 + 2 * 5, 1e-6);
}

TEST(FirstIterations, OfLinesThatCountThroughTheRun) {
  LoggedRun run = two_epochs();
  run.benchmark = "maskrcnn";
  run.progress_kind = "maskrcnn";
  run.global_batch = 1172.66;  // 100 iterations per epoch
  run.progress = {
      {Seconds{26}, -1, 50, 0.5}, {Seconds{66}, -1, 100, 0.8}, {Seconds{106}, -1, 150, 0.8}};
  const auto probe = probe_of_iterations(run);
  ASSERT_TRUE(probe) << probe.error().text;
  EXPECT_EQ(probe->log.laps.size(), 100u);
  EXPECT_EQ(probe->log.laps[50].seconds(), Seconds{0.8});
  EXPECT_NEAR(probe->papers.count(), 26 + 150 * 0.8 + 2 * 5, 1e-6);
}

TEST(FirstIterations, SaysWhyARunCannotBeJudged) {
  const auto why = [](const std::function<void(LoggedRun&)>& change) {
    LoggedRun run = two_epochs();
    change(run);
    const auto probe = probe_of_iterations(run);
    return probe ? "" : probe.error().text;
  };
  EXPECT_EQ(why([](LoggedRun& run) { run.progress.clear(); }), "no progress lines");
  EXPECT_EQ(why([](LoggedRun& run) { run.progress_kind = "x"; }),
            "progress lines of an unknown kind");
  EXPECT_EQ(why([](LoggedRun& run) { run.benchmark = "ssd"; }),
            "the size of its data set is not known");
  EXPECT_EQ(why([](LoggedRun& run) { run.global_batch = 0; }), "its batch size is not given");
  EXPECT_EQ(why([](LoggedRun& run) { run.units = 0; }), "no number of epochs is given");
  EXPECT_EQ(why([](LoggedRun& run) { run.progress.front().iteration = 1000; }),
            "no line is of the first 100 iterations");
  EXPECT_EQ(why([](LoggedRun& run) { run.total = Seconds{120}; }), "its lines go on after its end");
}

}  // namespace
}  // namespace lapcast::accuracy
