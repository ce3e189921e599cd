#include "campaign/sweep.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <set>
#include <string>

#include "campaign/fake_executor_test.h"
#include "posix/folder_test.h"

namespace lapcast {
namespace {

using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr const char* kTwoMachines = R"([prices]
as_of = "2026-11-20"
source = "test"
[[machine]]
name = "cheap"
price = "0.36"
cpus = "0"
[[machine]]
name = "dear"
price = "3.6"
cpus = "1"
)";

class SaidLines : public ProgressListener {
 public:
  void start(const Stage& stage) override {
    stages.push_back(stage.what + " " + std::to_string(stage.runs));
  }
  void say(const std::string& line) override { said.push_back(line); }
  std::vector<std::string> stages;
  std::vector<std::string> said;
};

class SweepTest : public FolderTest {
 protected:
  SweepTest() {
    write_fleet(kTwoMachines);
    request_.fleet_file = (folder_ / "fleet.toml").string();
    RunContext& common = request_.probe.context;
    common.program = {"true", "{batch}"};
    common.working_dir = folder_.string();
    common.plan.steps = 1000;
    common.machine.allowed_cpus = {0, 1};
    common.machine.boot_id = "b";
    request_.values = {{"batch", {"32", "64"}}};
  }
  void write_fleet(const std::string& text) { write_text(folder_ / "fleet.toml", text); }

  /// Runs the request as a new command would.
  SweepResult sweep() {
    interrupt_.emplace();
    executor_ = {};
    executor_.laps_s = {{"dear", 0.01}};
    if (prepare) prepare();
    listener_ = {};
    return run_sweep(plan_sweep(request_), {store_, executor_, *interrupt_, listener_,
                                            [this] { return executor_.now(); }});
  }
  std::string problem() {
    try {
      plan_sweep(request_);
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing";
  }

  SweepRequest request_;
  std::optional<Interrupt> interrupt_;
  FakeExecutor executor_;
  std::function<void()> prepare;  // changes the executor of the next command
  SaidLines listener_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(SweepTest, ProbesAndForecastsEveryCandidate) {
  const SweepResult result = sweep();
  EXPECT_THAT(executor_.started, UnorderedElementsAre("cheap", "cheap", "dear", "dear"));
  EXPECT_THAT(listener_.stages, ElementsAre("probing 4"));
  EXPECT_FALSE(result.any_failed);
  EXPECT_FALSE(result.interrupted);
  ASSERT_THAT(result.assessments, SizeIs(4));
  for (std::size_t i = 0; i < 4; ++i) {
    const bool dear = result.runs[i].context.machine_type.name == "dear";
    ASSERT_TRUE(result.assessments[i].forecast);
    // The fake executor runs 1000 laps of 0.01 s or 0.1 s.
    EXPECT_NEAR(result.assessments[i].forecast->total.mid.count(), dear ? 10 : 100, 1);
  }
}

TEST_F(SweepTest, TheSameCommandGoesOnAfterAnInterrupt) {
  prepare = [this] { executor_.on_end = [] { raise(SIGINT); }; };
  EXPECT_TRUE(sweep().interrupted);
  const std::size_t done = store_.list().size();
  ASSERT_GE(done, 1u);
  prepare = nullptr;
  const SweepResult second = sweep();
  EXPECT_FALSE(second.interrupted);
  EXPECT_THAT(second.runs, SizeIs(4));
  EXPECT_LT(executor_.started.size(), 4u);
  EXPECT_THAT(listener_.said, ElementsAre(HasSubstr("of 4 probes were done")));
  sweep();
  EXPECT_THAT(executor_.started, IsEmpty());
  EXPECT_THAT(listener_.said, ElementsAre(HasSubstr("--again measures all anew")));
  request_.again = true;
  sweep();
  EXPECT_THAT(executor_.started, SizeIs(4));
}

TEST_F(SweepTest, WhatOnlySaysHowMuchIsMeasuredBeginsNoOtherSweep) {
  sweep();
  request_.confirm = 1;
  request_.retry_failed = true;
  sweep();
  EXPECT_EQ(store_.sweeps().size(), 1u);
  request_.probe.limits.precision = 0.5;
  sweep();
  EXPECT_EQ(store_.sweeps().size(), 2u);
}

TEST_F(SweepTest, ConfirmsTheBestByTimeAndByCostOnceMore) {
  request_.confirm = 1;
  sweep();
  EXPECT_THAT(listener_.stages, ElementsAre("probing 4", "confirming 1"));  // dear is both
  EXPECT_EQ(executor_.started.back(), "dear");
  EXPECT_EQ(executor_.requests.back().context.start, StartKind::warm);
}

TEST_F(SweepTest, FailedCandidatesAreProbedOnceMoreOnlyWhenAsked) {
  prepare = [this] { executor_.outcomes["cheap"] = outcome::Crashed{1, 0}; };
  EXPECT_TRUE(sweep().any_failed);
  prepare = nullptr;
  EXPECT_TRUE(sweep().any_failed);
  EXPECT_THAT(executor_.started, IsEmpty());
  request_.retry_failed = true;
  EXPECT_FALSE(sweep().any_failed);
  EXPECT_THAT(executor_.started, ElementsAre("cheap", "cheap"));
}

TEST_F(SweepTest, FindsEpochsOnTheCheapestMachineFirst) {
  request_.find_epochs = {.patience = 3, .metric = "loss"};
  sweep();
  EXPECT_THAT(listener_.stages, ElementsAre("finding the number of epochs 2", "probing 4"));
  for (int i : {0, 1}) {
    const ProbeRequest& one = executor_.requests[i];
    EXPECT_EQ(one.context.machine_type.name, "cheap");
    EXPECT_EQ(one.context.kind, RunKind::find_epochs);
    EXPECT_EQ(one.context.patience, 3);
    EXPECT_EQ(one.context.metric, "loss");
    EXPECT_TRUE(one.limits.to_the_end);
  }
  EXPECT_FALSE(executor_.requests[2].limits.to_the_end);
}

TEST_F(SweepTest, RepeatsTheSearchForEpochsWithASeedForEach) {
  request_.probe.context.program = {"true", "{batch}", "{seed}"};
  request_.find_epochs = {.repeats = 3};
  sweep();
  EXPECT_THAT(listener_.stages, ElementsAre("finding the number of epochs 6", "probing 4"));
  std::multiset<std::string> seeds;
  for (const ProbeRequest& request : executor_.requests) {
    const auto& settings = request.context.settings;
    if (request.context.kind == RunKind::find_epochs)
      seeds.insert(settings.at("batch") + "/" + settings.at("seed"));
    else
      EXPECT_EQ(settings.at("seed"), "0");
  }
  EXPECT_THAT(seeds, ElementsAre("32/1", "32/2", "32/3", "64/1", "64/2", "64/3"));
  sweep();
  EXPECT_THAT(executor_.started, IsEmpty());
  request_.find_epochs->repeats = 4;  // the same sweep makes the missing ones
  sweep();
  EXPECT_THAT(executor_.started, ElementsAre("cheap", "cheap"));
  EXPECT_EQ(executor_.requests[0].context.settings.at("seed"), "4");
  EXPECT_EQ(store_.sweeps().size(), 1u);
}

TEST_F(SweepTest, RepeatsTheSearchForEpochsOfAProgramWithoutASeed) {
  request_.find_epochs = {.repeats = 2};
  prepare = [this] { executor_.on_end = [] { raise(SIGINT); }; };
  EXPECT_TRUE(sweep().interrupted);
  prepare = nullptr;
  const auto trained = [&] {
    return std::ranges::count_if(store_.runs({}), [](const lapcast::Run& run) {
      return run.context.kind == RunKind::find_epochs && has_laps(run.outcome);
    });
  };
  const auto before = trained();
  ASSERT_GE(before, 1);
  ASSERT_LT(before, 4);
  sweep();
  EXPECT_EQ(trained(), 4);
  sweep();
  EXPECT_EQ(trained(), 4);
}

TEST_F(SweepTest, SeedsThatTheUserNamesAreSettings) {
  request_.probe.context.program = {"true", "{batch}", "{seed}"};
  request_.values = {{"batch", {"32"}}, {"seed", {"7", "8"}}};
  request_.find_epochs = {.repeats = 2};
  sweep();
  EXPECT_THAT(listener_.stages, ElementsAre("finding the number of epochs 4", "probing 4"));
  request_.find_epochs->repeats = 1;
  request_.values.erase("seed");
  EXPECT_THAT(problem(), HasSubstr("{seed}"));
}

TEST_F(SweepTest, AMachineTypeThatCannotRunIsARowWithItsReason) {
  write_fleet(std::string(kTwoMachines) +
              "[[machine]]\nname = \"none\"\nprice = \"1\"\ncpus = \"9\"\n");
  const SweepResult result = sweep();
  EXPECT_TRUE(result.any_failed);
  EXPECT_THAT(executor_.started, Each(testing::Ne("none")));
  const auto none = std::find_if(result.runs.begin(), result.runs.end(), [](const auto& run) {
    return run.context.machine_type.name == "none";
  });
  ASSERT_NE(none, result.runs.end());
  EXPECT_THAT(describe(none->outcome), HasSubstr("CPU 9 cannot be used here"));
  EXPECT_EQ(none->context.started_at, "2026-11-20T12:00:00Z");
}

TEST_F(SweepTest, IsRefusedBeforeAnythingIsMeasured) {
  request_.probe.context.program[0] = "no-such-program";
  EXPECT_THAT(problem(), HasSubstr("no-such-program"));
  request_.probe.context.program[0] = "true";
  request_.probe.context.machine.allowed_cpus = {7};
  EXPECT_THAT(problem(), HasSubstr("no machine of the fleet can run it"));
  request_.probe.context.machine.allowed_cpus = {0, 1};
  request_.values.clear();
  EXPECT_THAT(problem(), HasSubstr("the placeholder {batch} in the program has no values"));
  write_fleet(std::string(kTwoMachines) + "[sweep]\nbatch = [8]\n");
  EXPECT_EQ(problem(), "nothing");
  write_fleet("[[machine]]\nname = \"a\"\noffer = \"aws/ec2/p3.2xlarg/on-demand\"\n");
  EXPECT_THAT(problem(), HasSubstr("did you mean 'aws/ec2/p3.2xlarge/on-demand'?"));
}

TEST_F(SweepTest, ARaceFindsThePicksAndSaysWhatTheSearchCost) {
  request_.values = {{"batch", {"32"}}};
  request_.race = RaceRequest{.goal = RaceGoal::front};
  const SweepResult result = sweep();
  ASSERT_TRUE(result.race);
  EXPECT_THAT(listener_.stages, ElementsAre("racing 2"));
  ASSERT_THAT(result.race->picks, SizeIs(2));
  // Both 10 s at 3.6 USD/h and 100 s at 0.36 USD/h cost 0.010 USD: only the fastest is certain.
  EXPECT_EQ(result.race->race.rows[result.race->picks[1].row].candidate.name, "dear batch=32");
  EXPECT_GT(result.race->bill.race.time, Seconds{0});
  EXPECT_GE(result.race->bill.everything.time, result.race->bill.plain.time);
  EXPECT_FALSE(result.any_failed);
  const SweepResult again = sweep();
  EXPECT_THAT(executor_.started, IsEmpty());
  EXPECT_THAT(listener_.said, ElementsAre(HasSubstr("is finished; --again measures all anew")));
  EXPECT_EQ(again.race->picks.size(), 2u);
}

}  // namespace
}  // namespace lapcast
