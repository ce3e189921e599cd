#include "campaign/race_campaign.h"

#include <gmock/gmock.h>
#include <signal.h>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"
#include "run/race_outcomes.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;

class RaceCampaignTest : public FolderTest {
 protected:
  static ProbeRequest request(const std::string& name, const Place& place,
                              std::vector<int> cpus = {}) {
    ProbeRequest request;
    request.context.id = new_id();
    request.context.plan.steps = 1000;
    request.context.machine_type.name = name;
    request.context.machine_type.cpus = std::move(cpus);
    request.context.place = describe(place);
    request.place_setup.place = place;
    return request;
  }
  RaceResult race(std::vector<ProbeRequest> requests) {
    return run_race(std::move(requests), order_, store_.runs(),
                    [](const lapcast::Run& run) { return assess(run); },
                    {executor_, store_, interrupt_, {}, [this] { return executor_.now(); }});
  }
  /// Returns how the stored runs of a machine type ended, the oldest first.
  std::vector<std::string> outcomes_of(const std::string& name) const {
    std::vector<std::string> outcomes;
    for (const lapcast::Run& run : store_.runs())
      if (run.context.machine_type.name == name) outcomes.push_back(describe(run.outcome));
    return outcomes;
  }

  RaceRequest order_{.goal = RaceGoal::time};
  Interrupt interrupt_;
  FakeExecutor executor_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(RaceCampaignTest, StopsASlowCandidateInALaterRoundAndKeepsTheFastest) {
  executor_.laps_s = {{"fast", 0.1}, {"slow", 2}};
  const RaceResult result = race({request("slow", {}, {0}), request("fast", {}, {1})});
  ASSERT_EQ(result.rows.size(), 2u);
  EXPECT_EQ(result.rows[0].standing.state, RaceState::out);
  EXPECT_THAT(result.rows[0].standing.reason, testing::HasSubstr("can no longer be the fastest"));
  EXPECT_LT(result.rows[0].standing.observed.laps, FakeExecutor::kLaps);
  EXPECT_EQ(result.rows[1].standing.state, RaceState::decided);
  EXPECT_EQ(store_.runs().size(), 2u);  // one run each: they were suspended, not started again
}

TEST_F(RaceCampaignTest, CandidatesOnOneCpuTakeTurns) {
  executor_.laps_s = {{"a", 0.1}, {"b", 0.1001}};
  const RaceResult result = race({request("a", {}, {0}), request("b", {}, {0})});
  EXPECT_EQ(executor_.most_at_once, 1u);
  EXPECT_EQ(result.rounds, 4u);  // each is suspended once
  for (const RaceRow& row : result.rows) EXPECT_EQ(row.standing.state, RaceState::measured);
}

TEST_F(RaceCampaignTest, JobsOfOneQueuedEntryAreLimitedAsInAPlainSweep) {
  std::vector<ProbeRequest> requests;
  for (int i = 0; i < 40; ++i) {
    requests.push_back(request("gpu", SlurmPlace{.partition = "gpu"}));
    requests.back().context.settings["lr"] = std::to_string(i);
  }
  const RaceResult result = race(std::move(requests));
  EXPECT_EQ(executor_.most_at_once, 32u);
  for (const RaceRow& row : result.rows) EXPECT_NE(row.standing.state, RaceState::waiting);
}

TEST_F(RaceCampaignTest, QueuedCandidatesRunOnceAndInOnePiece) {
  const SlurmPlace queue{.partition = "gpu"};
  executor_.laps_s = {{"a", 0.1}, {"b", 0.1001}};
  const RaceResult result = race({request("a", queue), request("b", queue)});
  EXPECT_EQ(result.rounds, 2u);
  EXPECT_EQ(store_.runs().size(), 2u);
  for (const RaceRow& row : result.rows) EXPECT_EQ(row.standing.observed.laps, FakeExecutor::kLaps);
}

TEST_F(RaceCampaignTest, ASpentBudgetEndsItAndTheSameRaceGoesOnWithALargerOne) {
  executor_.laps_s = {{"a", 0.1}, {"b", 0.1001}};
  const std::vector<ProbeRequest> requests{request("a", {}, {0}), request("b", {}, {0})};
  order_.budget.time = Seconds{0.5};
  const RaceResult first = race(requests);
  EXPECT_TRUE(first.budget_spent);
  EXPECT_THAT(outcomes_of("a"), ElementsAre(describe(Outcome{end_of_budget()})));
  order_.budget.time = Seconds{100};
  std::vector<ProbeRequest> again = requests;
  for (ProbeRequest& one : again) one.context.id = new_id();
  const RaceResult second = race(again);
  EXPECT_FALSE(second.budget_spent);
  for (const RaceRow& row : second.rows) EXPECT_EQ(row.standing.state, RaceState::measured);
}

TEST_F(RaceCampaignTest, OnAGpuOfOneProcessEachCandidateStartsOnce) {
  executor_.laps_s = {{"a", 0.1}, {"b", 0.1001}};
  executor_.gpu_busy = 90;
  executor_.gpu_exclusive = 1;
  const RaceResult result = race({request("a", {}, {0}), request("b", {}, {0})});
  EXPECT_EQ(store_.runs().size(), 2u);
  for (const RaceRow& row : result.rows) EXPECT_EQ(row.standing.state, RaceState::measured);
}

// The suspended one goes on to its end, and is not started again; the other one is, once. 31 laps
// of each take 6.2 s, and the start that failed 0.1 s, which the budget counts.
TEST_F(RaceCampaignTest, AProgramWithoutGpuMemoryBesideASuspendedOneRunsAgainAlone) {
  executor_.laps_s = {{"a", 0.1}, {"b", 0.1001}};
  executor_.gpu_busy = 90;
  executor_.need_whole_gpu = {"a", "b"};  // whichever comes second
  order_.budget.time = Seconds{6.25};
  const RaceResult result = race({request("a", {}, {0}), request("b", {}, {0})});
  EXPECT_THAT(executor_.started, ElementsAre("a", "b", "b"));
  EXPECT_THAT(outcomes_of("a"), testing::SizeIs(1));
  EXPECT_THAT(outcomes_of("b"), testing::SizeIs(2));
  for (const RaceRow& row : result.rows) EXPECT_EQ(row.standing.state, RaceState::measured);
  EXPECT_TRUE(result.budget_spent);
}

TEST_F(RaceCampaignTest, AProgramThatNeedsMoreThanTheGpuHasFailsOnce) {
  executor_.laps_s = {{"a", 0.1}, {"c", 0.1001}};
  executor_.gpu_busy = 90;
  executor_.outcomes["b"] = FakeExecutor::out_of_gpu_memory();
  const RaceResult result =
      race({request("a", {}, {0}), request("b", {}, {0}), request("c", {}, {0})});
  EXPECT_EQ(result.rows[1].standing.state, RaceState::failed);
  EXPECT_EQ(outcomes_of("b").size(), 2u);
  for (const std::size_t other : {0u, 2u})
    EXPECT_EQ(result.rows[other].standing.state, RaceState::measured);
}

TEST_F(RaceCampaignTest, AFailedCandidateIsOutOfTheRace) {
  executor_.outcomes["a"] = outcome::Crashed{1, 0};
  executor_.laps_s["a"] = 0;
  const RaceResult result = race({request("a", {}, {0}), request("b", {}, {0})});
  EXPECT_EQ(result.rows[0].standing.state, RaceState::failed);
  EXPECT_EQ(result.rows[1].standing.state, RaceState::decided);
}

}  // namespace
}  // namespace lapcast
