#include "campaign/rounds_campaign.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <string>
#include <thread>
#include <vector>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::DoubleNear;
using testing::SizeIs;

class RoundsTest : public FolderTest {
 protected:
  static ProbeRequest request(const std::string& name) {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.machine_type.name = name;
    request.context.machine_type.cpus = {0};
    return request;
  }
  CampaignResult run(std::vector<ProbeRequest> requests) {
    return run_in_rounds(std::move(requests), 3, {executor_, store_, interrupt_, listener_, [this] {
                                                    return executor_.now();
                                                  }});
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  CampaignListener listener_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(RoundsTest, EachCandidateIsSuspendedTwiceAndStoredOnce) {
  const CampaignResult result = run({request("a"), request("b")});
  EXPECT_EQ(result.finished, 2u);
  EXPECT_EQ(result.failed, 0u);
  EXPECT_THAT(store_.runs(), SizeIs(2));
  EXPECT_EQ(executor_.most_at_once, 1u);  // they share a CPU
  for (const lapcast::Run& run : store_.runs())
    EXPECT_EQ(describe(run.outcome), "enough: 3 of 3 rounds");
}

TEST_F(RoundsTest, TheTimeThatIsLeftIsThatOfTheRoundsThatAreLeft) {
  std::vector<double> left;
  listener_.on_progress = [&](const CampaignProgress& progress) {
    if (progress.eta) left.push_back(progress.eta->count());
  };
  // A listener is told of progress every 100 ms.
  executor_.on_end = [] { std::this_thread::sleep_for(std::chrono::milliseconds(110)); };
  run({request("a"), request("b")});
  // When the first of the two has ended, the third round of the other is left: five laps of 0.1 s.
  EXPECT_THAT(left, Contains(DoubleNear(0.5, 1e-6)));
}

TEST_F(RoundsTest, AnExclusiveMachineIsMeasuredInOnePiece) {
  ProbeRequest exclusive = request("a");
  exclusive.context.machine_type.exclusive = true;
  run({exclusive});
  ASSERT_THAT(executor_.requests, SizeIs(1));
  EXPECT_FALSE(executor_.requests[0].round);
}

TEST_F(RoundsTest, AProbeOfWholeEpochsIsMadeInOnePiece) {
  ProbeRequest epochs = request("a");
  epochs.limits.epochs = WholeEpochs{2};
  run({epochs});
  ASSERT_THAT(executor_.requests, SizeIs(1));
  EXPECT_FALSE(executor_.requests[0].round);
}

// One after another takes two starts, three rounds of each would take six.
TEST_F(RoundsTest, OnAGpuOfOneProcessEachCandidateStartsOnce) {
  executor_.gpu_busy = 90;
  executor_.gpu_exclusive = 1;
  const CampaignResult result = run({request("a"), request("b")});
  EXPECT_EQ(result.finished, 2u);
  EXPECT_THAT(executor_.requests, SizeIs(2));
  EXPECT_THAT(store_.runs(), SizeIs(2));
  for (const lapcast::Run& run : store_.runs()) EXPECT_TRUE(has_laps(run.outcome));
}

TEST_F(RoundsTest, AProgramWithoutGpuMemoryBesideASuspendedOneRunsAgainAlone) {
  executor_.gpu_busy = 90;
  executor_.need_whole_gpu = {"a", "b"};  // whichever comes second
  const CampaignResult result = run({request("a"), request("b")});
  EXPECT_EQ(result.finished, 2u);
  EXPECT_EQ(result.failed, 0u);
  EXPECT_THAT(executor_.started, testing::ElementsAre("a", "b", "b"));
}

TEST_F(RoundsTest, AProgramThatNeedsMoreThanTheGpuHasFailsOnce) {
  executor_.gpu_busy = 90;
  executor_.outcomes["b"] = FakeExecutor::out_of_gpu_memory();
  const CampaignResult result = run({request("a"), request("b"), request("c")});
  EXPECT_EQ(result.finished, 3u);
  EXPECT_EQ(result.failed, 1u);
  EXPECT_EQ(std::ranges::count(executor_.started, "b"), 2);
}

TEST_F(RoundsTest, AFailedCandidateDoesNotStopTheOthers) {
  executor_.outcomes["a"] = outcome::Crashed{1, 0};
  const CampaignResult result = run({request("a"), request("b")});
  EXPECT_EQ(result.finished, 2u);
  EXPECT_EQ(result.failed, 1u);
}

TEST(Rounds, TheNextOneHasLapsForHalfASecondAndAtLeastFive) {
  EXPECT_EQ(laps_of_next_round(run_of_laps(20, 0.01, outcome::Enough{""})), 50);
  EXPECT_EQ(laps_of_next_round(run_of_laps(20, 0.3, outcome::Enough{""})), 5);
}

}  // namespace
}  // namespace lapcast
