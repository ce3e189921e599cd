#include "accuracy/cross_fit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "accuracy/first_units.h"
#include "accuracy/logged_run_test.h"
#include "accuracy/ours.h"

namespace lapcast::accuracy {
namespace {

LoggedRun ten_epochs_of(const std::string& submitter, double each) {
  LoggedRun run = run_of(MllogUnit::epoch, 10);
  run.id = submitter;
  run.submitter = submitter;
  run.total = Seconds{10 * each};
  for (int i = 0; i < 10; ++i) {
    log(run, MllogKey::epoch_start, each * i);
    log(run, MllogKey::epoch_stop, each * (i + 1));
  }
  return run;
}

TEST(CrossFit, JudgesWithTheOthersHistoryWithNoneAndWithTheOwn) {
  Dropped dropped;
  const LoggedRun a = ten_epochs_of("a", 10), b = ten_epochs_of("b", 20);
  const auto judged = judge({*probe_of(a, 2), *probe_of(b, 2)}, dropped);
  ASSERT_EQ(judged.size(), 6u);
  EXPECT_EQ(judged[0].run, "a");
  EXPECT_EQ(judged[0].fit, Fit::others);
  EXPECT_EQ(judged[1].fit, Fit::none);
  EXPECT_EQ(judged[2].fit, Fit::own);
  EXPECT_EQ(judged[0].real, Seconds{100});
  EXPECT_EQ(judged[0].papers, Seconds{100});
  EXPECT_EQ(judged[3].submitter, "b");
  EXPECT_TRUE(judged[3].ours->contains(Seconds{200}));
}

TEST(CrossFit, PhasesAddUp) {
  const LoggedRun run = ten_epochs_of("a", 10);
  Probe one = *probe_of(run, 2);
  Probe two = one;
  two.further_phases = {one};
  Dropped dropped;
  const auto judged = judge({one, two}, dropped);
  ASSERT_EQ(judged.size(), 6u);
  EXPECT_EQ(judged[4].ours->mid, 2 * judged[1].ours->mid) << "alone";
  EXPECT_EQ(judged[4].ours->high, 2 * judged[1].ours->high);
}

TEST(CrossFit, CountsWhatHasNoForecast) {
  const LoggedRun run = ten_epochs_of("a", 10);
  Probe probe = *probe_of(run, 2);
  probe.profile.laps.clear();
  Dropped missed;
  const auto judged = judge({probe}, missed);
  ASSERT_EQ(judged.size(), 3u);
  EXPECT_FALSE(judged[0].ours);
  EXPECT_EQ(missed.counts().at("after 2 epochs: no forecast of ours: no laps"), 1);
}

}  // namespace
}  // namespace lapcast::accuracy
