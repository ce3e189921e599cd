#include "fleet/campaign.h"

#include <gmock/gmock.h>

#include "fleet/timed_fake_executor_test.h"
#include "posix/folder_test.h"
#include "probe/ids_and_time.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::UnorderedElementsAre;

class CampaignTest : public FolderTest {
 protected:
  static ProbeRequest request(const std::string& name, std::vector<int> cpus) {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.machine_type.name = name;
    request.context.machine_type.cpus = std::move(cpus);
    return request;
  }
  CampaignResult run(std::vector<ProbeRequest> requests) {
    return run_campaign(std::move(requests), executor_, store_, interrupt_, listener_,
                        [this] { return executor_.now(); });
  }

  Interrupt interrupt_;
  TimedFakeExecutor executor_;
  Store store_ = Store::open(folder_ / "store.db");
  std::vector<std::string> ended_;
  std::vector<std::string> states_;
  CampaignListener listener_{
      [this](const CampaignProgress& progress) {
        states_.insert(states_.end(), progress.running.begin(), progress.running.end());
      },
      [this](const lapcast::Run& run) { ended_.push_back(run.context.machine_type.name); }};
};

TEST_F(CampaignTest, RunsBesideEachOtherOnlyWhatSharesNoCpu) {
  const CampaignResult result = run({request("a", {0}), request("b", {0}), request("c", {1})});
  EXPECT_THAT(executor_.started, ElementsAre("a", "c", "b"));  // c passes b, which waits for a
  EXPECT_EQ(executor_.most_at_once, 2U);
  EXPECT_EQ(result.finished, 3U);
  EXPECT_EQ(result.failed, 0U);
  EXPECT_FALSE(result.interrupted);
}

TEST_F(CampaignTest, AllCpusAreSharedWithEverybody) {
  run({request("all", {}), request("a", {0}), request("b", {1})});
  EXPECT_THAT(executor_.started, ElementsAre("all", "a", "b"));
  EXPECT_EQ(executor_.most_at_once, 2U);
}

TEST_F(CampaignTest, AFailedRunIsStoredAndStopsNobody) {
  executor_.outcomes["a"] = outcome::Crashed{1, 0};
  const CampaignResult result = run({request("a", {0}), request("b", {0})});
  EXPECT_EQ(result.finished, 2U);
  EXPECT_EQ(result.failed, 1U);
  EXPECT_THAT(ended_, ElementsAre("a", "b"));
  EXPECT_EQ(store_.list().size(), 2U);
}

TEST_F(CampaignTest, TheFirstStartIsColdTheLaterOnesWarmUnlessTheyAreKnown) {
  ProbeRequest known = request("c", {0});
  known.context.start = StartKind::cold;
  run({request("a", {0}), request("b", {0}), known});
  std::vector<StartKind> starts;
  for (const ProbeRequest& one : executor_.requests) starts.push_back(one.context.start);
  EXPECT_THAT(starts, ElementsAre(StartKind::cold, StartKind::warm, StartKind::cold));
  for (const ProbeRequest& one : executor_.requests) EXPECT_EQ(one.store_file, store_.file());
  EXPECT_EQ(executor_.requests[0].context.started_at, "2026-11-20T12:00:00Z");
  EXPECT_EQ(executor_.requests[1].context.started_at, "2026-11-20T12:00:03Z");  // 30 laps of 0.1 s
}

TEST_F(CampaignTest, ProgressNamesTheCandidateAndItsState) {
  run({request("a", {0})});
  EXPECT_THAT(states_, ElementsAre("a: lap 3"));
}

TEST_F(CampaignTest, AnInterruptStopsWhatRunsAndStartsNothingMore) {
  executor_.on_end = [this] {
    if (ended_.empty()) raise(SIGINT);
  };
  const CampaignResult result = run({request("a", {0}), request("b", {1}), request("c", {0})});
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(executor_.stopped);
  EXPECT_THAT(executor_.started, UnorderedElementsAre("a", "b"));
  EXPECT_EQ(result.finished, 1U);
  EXPECT_EQ(store_.list().size(), 2U);  // the interrupted one is kept too
}

}  // namespace
}  // namespace lapcast
