#include "suite/driver/repeat_runs.h"

#include <gmock/gmock.h>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

/// Keeps the lines that are said, and the progress that is shown.
class RecordingListener : public ProgressListener {
 public:
  void say(const std::string& line) override { said.push_back(line); }
  void show(const CampaignProgress& progress) override { shown.push_back(progress); }
  void start(const Stage& stage) override { done = stage.done; }
  void show_run(const Run&) override { numbers.push_back(++done); }

  std::vector<std::string> said;
  std::vector<CampaignProgress> shown;
  std::vector<std::size_t> numbers;
  std::size_t done = 0;
};

class RepeatRunsTest : public FolderTest {
 protected:
  /// Makes the runs take these times, one after the other, and the last of them again and again.
  void take(std::vector<double> seconds) {
    executor_.ended = [seconds](const RunContext&, std::size_t number) {
      return run_of_laps(1, seconds[std::min(number, seconds.size()) - 1], outcome::Ended{});
    };
  }
  RunSet complete(std::size_t at_least, bool again = false) {
    RunContext context;
    context.program = {"./train", "--seed", "{seed}"};
    RepeatRequest request{.rule = {.at_least = at_least},
                          .again = again,
                          .start = [](RunContext one) { return ProbeRequest{std::move(one)}; },
                          .run_parent = folder_};
    RepeatedRuns runs(request, {store_, executor_, interrupt_, listener_});
    return runs.complete(context, "mnist", [](const lapcast::Run& run) -> Result<double> {
      if (!std::holds_alternative<outcome::Ended>(run.outcome)) return because("it failed");
      return run.wall().count();
    });
  }
  std::vector<std::string> seeds() const {
    std::vector<std::string> seeds;
    for (const ProbeRequest& request : executor_.requests)
      seeds.push_back(request.context.settings.at("seed"));
    return seeds;
  }

  Interrupt interrupt_;
  FakeExecutor executor_;
  Store store_ = Store::open(folder_ / "store.db");
  RecordingListener listener_;
};

TEST_F(RepeatRunsTest, RepeatsUntilTheMeanIsKnownWellEnough) {
  take({10, 10.1, 9.9});
  const RunSet set = complete(3);
  EXPECT_EQ(set.runs.size(), 3U);
  EXPECT_EQ(set.reason, "");
  EXPECT_THAT(seeds(), ElementsAre("1", "2", "3"));
  EXPECT_THAT(listener_.numbers, ElementsAre(1, 2, 3));
  for (const ProbeRequest& request : executor_.requests) {
    EXPECT_TRUE(request.limits.to_the_end);
    EXPECT_FALSE(request.hook);
    EXPECT_EQ(request.context.sweep, set.id);
  }
  EXPECT_TRUE(store_.sweeps().back().finished);
}

TEST_F(RepeatRunsTest, RepeatsThreeTimesAsOftenAtMost) {
  executor_.ended = [](const RunContext&, std::size_t number) {
    return run_of_laps(1, number % 2 == 0 ? 10 : 20, outcome::Ended{});
  };
  EXPECT_EQ(complete(2).runs.size(), 6U);
  EXPECT_THAT(listener_.said.back(), HasSubstr("after 6 runs, the most"));
}

TEST_F(RepeatRunsTest, AFailedRunEndsTheSetAndTheNextCommandGoesOn) {
  executor_.ended = [](const RunContext&, std::size_t number) {
    return run_of_laps(1, 10, number == 2 ? Outcome(outcome::Crashed{1, 0}) : outcome::Ended{});
  };
  const RunSet failed = complete(3);
  EXPECT_EQ(failed.runs.size(), 1U);
  EXPECT_EQ(failed.reason, "it failed");
  EXPECT_FALSE(store_.sweeps().back().finished);

  const RunSet set = complete(3);
  EXPECT_EQ(set.id, failed.id);
  EXPECT_EQ(set.runs.size(), 3U);
  EXPECT_EQ(set.reason, "");
  EXPECT_EQ(executor_.requests.size(), 4U);
}

TEST_F(RepeatRunsTest, ACompleteSetIsNotMeasuredAgainUnlessAsked) {
  take({10});
  const RunSet first = complete(3);
  EXPECT_EQ(complete(3).id, first.id);
  EXPECT_EQ(executor_.requests.size(), 3U);
  const RunSet second = complete(3, true);
  EXPECT_NE(second.id, first.id);
  EXPECT_EQ(executor_.requests.size(), 6U);
}

TEST_F(RepeatRunsTest, AnInterruptKeepsWhatWasFinished) {
  executor_.ended = [&](const RunContext&, std::size_t number) {
    if (number == 2) raise(SIGINT);
    return run_of_laps(1, 10, outcome::Ended{});
  };
  const RunSet set = complete(5);
  EXPECT_TRUE(set.interrupted);
  EXPECT_EQ(set.reason, "interrupted");
  EXPECT_LE(set.runs.size(), 2U);
  EXPECT_FALSE(store_.sweeps().back().finished);
}

TEST_F(RepeatRunsTest, TheTimeLeftComesFromTheRunsOfThisCommand) {
  take({10});
  complete(3);
  std::vector<double> left;
  for (const CampaignProgress& progress : listener_.shown)
    if (progress.done > 0 && progress.eta) left.push_back(progress.eta->count());
  ASSERT_FALSE(left.empty());
  EXPECT_DOUBLE_EQ(left.front(), 20);  // two more runs of 10 s
}

}  // namespace
}  // namespace lapcast
