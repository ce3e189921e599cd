#include "campaign/repeat_campaign.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <variant>
#include <vector>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::SizeIs;

class RepeatCampaignTest : public FolderTest {
 protected:
  static RepeatedCandidate candidate(const std::string& name, std::vector<double> values = {}) {
    RepeatedCandidate candidate;
    candidate.request.context.id = new_id();
    candidate.request.context.program = {"./train", "{seed}"};
    candidate.request.context.machine_type.name = name;
    candidate.request.context.machine_type.cpus = {0};
    candidate.values = std::move(values);
    return candidate;
  }

  /// Makes the runs of a machine type take so many seconds, or fail at 0.
  void take(std::map<std::string, double> seconds) {
    executor_.ended = [seconds](const RunContext& context, std::size_t) {
      const double wall = seconds.at(context.machine_type.name);
      return wall > 0 ? run_of_laps(1, wall, outcome::Ended{})
                      : run_of_laps(1, 1, outcome::Crashed{3, 0});
    };
  }

  RepeatsResult run(std::vector<RepeatedCandidate> candidates, const RepeatRule& rule,
                    std::size_t warm_ups = 0) {
    const RepeatValue time = [](const lapcast::Run& one) -> Result<double> {
      if (!std::holds_alternative<outcome::Ended>(one.outcome)) return because("it failed");
      return one.wall().count();
    };
    return run_repeatedly(std::move(candidates), rule, warm_ups, time,
                          {executor_, store_, interrupt_, listener_});
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  CampaignListener listener_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(RepeatCampaignTest, EachCandidateIsLeftAsLongAsItTakesBesideTheOthers) {
  std::map<std::size_t, double> left;  // by the number of runs that are made
  listener_.on_progress = [&](const CampaignProgress& progress) {
    if (progress.eta) left[progress.done] = progress.eta->count();
  };
  listener_.on_run = [](const lapcast::Run&) {  // a listener is told of progress every 100 ms
    std::this_thread::sleep_for(std::chrono::milliseconds(110));
  };
  take({{"quick", 1}, {"slow", 10}});
  RepeatedCandidate slow = candidate("slow");
  slow.request.context.machine_type.cpus = {1};
  run({candidate("quick"), slow}, {.at_least = 3, .precision = 1e9, .most = 3});
  // When both have run once, the slow one has two more runs to make, beside the quick one.
  EXPECT_NEAR(left.at(2), 20, 1e-6);
}

TEST_F(RepeatCampaignTest, EachRoundRunsEveryCandidateOnce) {
  take({{"a", 1}, {"b", 2}, {"c", 3}});
  const RepeatsResult result =
      run({candidate("a"), candidate("b"), candidate("c")}, {.at_least = 4, .most = 4});
  EXPECT_THAT(result.reasons, ElementsAre("", "", ""));
  ASSERT_THAT(executor_.started, SizeIs(12));
  std::vector<std::string> orders;
  for (auto begin = executor_.started.begin(); begin != executor_.started.end(); begin += 3) {
    std::string order;
    for (auto name = begin; name != begin + 3; ++name) order += *name;
    orders.push_back(order);
    std::ranges::sort(order);
    EXPECT_EQ(order, "abc");
  }
  std::ranges::sort(orders);
  EXPECT_NE(orders.front(), orders.back());  // the order differs from round to round
}

TEST_F(RepeatCampaignTest, WarmUpRunsAreMarkedAndCountForNothing) {
  take({{"a", 1}});
  run({candidate("a")}, {.at_least = 2, .most = 2}, 1);
  std::vector<bool> marks;
  std::vector<std::string> seeds;
  for (const ProbeRequest& request : executor_.requests) {
    marks.push_back(request.context.warm_up);
    seeds.push_back(request.context.settings.at("seed"));
  }
  EXPECT_THAT(marks, ElementsAre(true, false, false));
  EXPECT_THAT(seeds, ElementsAre("1", "2", "3"));
  EXPECT_THAT(store_.runs(), SizeIs(3));
}

TEST_F(RepeatCampaignTest, EarlierRunsCount) {
  take({{"a", 1}, {"b", 1}});
  const RepeatsResult result =
      run({candidate("a", {1, 1}), candidate("b", {1, 1, 1})}, {.at_least = 3, .most = 3});
  EXPECT_THAT(executor_.started, ElementsAre("a"));
  EXPECT_THAT(result.reasons, Each(""));
}

TEST_F(RepeatCampaignTest, AFailureEndsTheRepeatsOfItsCandidateOnly) {
  take({{"a", 0}, {"b", 1}});
  const RepeatsResult result = run({candidate("a"), candidate("b")}, {.at_least = 3, .most = 3});
  EXPECT_THAT(result.reasons, ElementsAre("it failed", ""));
  EXPECT_EQ(std::ranges::count(executor_.started, "a"), 1);
  EXPECT_EQ(std::ranges::count(executor_.started, "b"), 3);
}

TEST_F(RepeatCampaignTest, EndsACandidateOnceItsMeanIsKnown) {
  // Equal times have an interval of no width, so the least number of runs is enough.
  take({{"a", 1}});
  run({candidate("a")}, {.at_least = 5, .precision = 0.05, .most = 30});
  EXPECT_THAT(executor_.started, SizeIs(5));
}

TEST_F(RepeatCampaignTest, AnInterruptedRunLeavesItsCandidateUnfinished) {
  executor_.ended = [](const RunContext&, std::size_t number) {
    const Outcome end = number == 3 ? Outcome(outcome::Interrupted{}) : outcome::Ended{};
    return run_of_laps(1, 1, end);
  };
  const RepeatsResult result = run({candidate("a")}, {.at_least = 5, .most = 5});
  EXPECT_TRUE(result.interrupted);
  EXPECT_THAT(result.reasons, ElementsAre("interrupted"));
  EXPECT_THAT(executor_.started, SizeIs(3));
}

}  // namespace
}  // namespace lapcast
