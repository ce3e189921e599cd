#include "campaign/tune.h"

#include <gmock/gmock.h>
#include <signal.h>

#include <algorithm>
#include <optional>
#include <string>

#include "campaign/fake_executor_test.h"
#include "campaign/tuned_environment.h"
#include "posix/folder_test.h"
#include "remote/remote_request.h"

namespace lapcast {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TuneTest : public FolderTest {
 protected:
  TuneTest() {
    RunContext& context = request_.probe.context;
    context.program = {"true"};
    context.working_dir = folder_.string();
    context.plan.steps = 1000;
    context.machine_type.name = "this-machine";
    request_.settings = {setting("threads", "1"), setting("malloc", "keep"),
                         setting("wait", "passive"), setting("wait", "active")};
    request_.repeats = 3;
  }
  void use_box() {
    request_.probe.place_setup.place = SshPlace{"box"};
    request_.probe.context.place = "ssh box";
  }
  static TuneSetting setting(const std::string& name, const std::string& value) {
    return {name, value, {{name, value}}};
  }

  /// Runs the request as a new command would; `laps` returns the seconds of a lap.
  TuneResult tune(const std::function<double(const RunContext&)>& laps) {
    interrupt_.emplace();
    executor_ = {};
    executor_.lap_of = laps;
    if (prepare) prepare();
    return run_tune(
        request_, {store_, executor_, *interrupt_, listener_, [this] { return executor_.now(); }});
  }
  /// Returns the seconds of a lap: malloc=keep halves it, wait=passive takes a fifth off.
  static double planted(const RunContext& context) {
    const auto& settings = context.settings;
    const auto has = [&](const char* name, const char* value) {
      const auto found = settings.find(name);
      return found != settings.end() && found->second == value;
    };
    return 0.1 * (has("malloc", "keep") ? 0.5 : 1) * (has("wait", "passive") ? 0.8 : 1) *
           (has("threads", "1") ? 1.5 : 1);
  }

  TuneRequest request_;
  std::optional<Interrupt> interrupt_;
  FakeExecutor executor_;
  std::function<void()> prepare;
  ProgressListener listener_;
  Store store_ = Store::open(folder_ / "store.db");
};

TEST_F(TuneTest, FindsThePlantedCombinationAndVerifiesItInTurn) {
  const TuneResult result = tune(planted);
  EXPECT_EQ(text_of_settings(result.verdict.chosen), "malloc=keep wait=passive");
  EXPECT_TRUE(result.verdict.is_sure());
  EXPECT_EQ(result.verdict.pairs, 3u);
  EXPECT_NEAR(result.verdict.ratio->mid, 0.4, 0.01);
  ASSERT_EQ(result.rows.size(), 6u);  // the default, four settings, and their combination
  EXPECT_EQ(result.rows[0].settings, "");
  EXPECT_NEAR(result.rows[2].ratio->mid, 0.5, 0.02);
  EXPECT_EQ(result.rows[5].settings, "malloc=keep wait=passive");
  EXPECT_GT(result.rows[5].chance_fastest, 0.95);
  EXPECT_NEAR(result.default_time->count(), 100, 2);
  EXPECT_THAT(result.changing, IsEmpty());
  EXPECT_FALSE(result.any_failed);
  const std::string file = environment_file(result, "1.0");
  EXPECT_THAT(file, HasSubstr("export malloc=keep\nexport wait=passive\n"));
  EXPECT_THAT(file, HasSubstr("0.40 times"));
}

TEST_F(TuneTest, SettingsOfAnotherMachineAreChosenOnceItHasDescribedItself) {
  use_box();
  request_.settings.clear();
  request_.settings_of = [](const MachineDescription& machine) {
    return std::vector{setting("threads", std::to_string(machine.threads / 6)),
                       setting("malloc", "keep")};
  };
  prepare = [this] { executor_.machine.threads = 6; };
  const TuneResult result = tune(planted);
  EXPECT_EQ(text_of_settings(result.verdict.chosen), "malloc=keep");
  EXPECT_TRUE(result.verdict.is_sure());
  ASSERT_EQ(result.rows.size(), 3u);
  EXPECT_EQ(result.rows[1].settings, "threads=1");
  EXPECT_TRUE(executor_.requests.front().context.warm_up);
  EXPECT_EQ(executor_.requests.front().limits.budget, Seconds{5});
  EXPECT_EQ(result.runs.size(), store_.runs().size());
  EXPECT_EQ(text_of_settings(tune(planted).verdict.chosen), "malloc=keep");
  EXPECT_THAT(executor_.started, IsEmpty());
}

TEST_F(TuneTest, AMachineThatDoesNotDescribeItselfEndsTheSearch) {
  use_box();
  request_.settings.clear();
  request_.settings_of = [](const MachineDescription&) {
    ADD_FAILURE();
    return std::vector<TuneSetting>();
  };
  prepare = [this] {
    executor_.ended = [](const RunContext&, std::size_t) {
      return run_of_laps(0, 0.1, outcome::NotStarted{"box does not answer"});
    };
  };
  try {
    tune(planted);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::system_failed);
    EXPECT_STREQ(error.what(), "this-machine: not started: box does not answer");
  }
  EXPECT_EQ(executor_.started.size(), 1u);
}

TEST_F(TuneTest, AWarmUpThatWasLeftOnAMachineIsFollowed) {
  use_box();
  prepare = [this] { executor_.on_end = [] { raise(SIGINT); }; };
  EXPECT_TRUE(tune(planted).interrupted);
  const lapcast::Run first = store_.runs().front();
  ASSERT_TRUE(first.context.warm_up);
  ProbeRequest left = request_.probe;
  left.context = first.context;
  left.context.id = "0123456789ab";
  store_.save_pending_run({left.context.id, first.context.sweep, "probe", "ssh box",
                           "2026-11-20T12:00:00Z", to_json_line(RemoteRequest{left})});
  prepare = nullptr;
  tune(planted);
  EXPECT_EQ(executor_.requests.front().context.id, "0123456789ab");
  EXPECT_TRUE(executor_.requests.front().context.warm_up);
}

TEST_F(TuneTest, WhereNothingHelpsNothingIsChosen) {
  const TuneResult result = tune(
      [](const RunContext& context) { return context.settings.contains("threads") ? 0.2 : 0.1; });
  EXPECT_THAT(result.verdict.chosen, IsEmpty());
  EXPECT_FALSE(result.verdict.ratio);
  EXPECT_FALSE(result.verdict.is_sure());
}

TEST_F(TuneTest, TheSameRequestShowsWhatIsKnownAndMeasuresNothing) {
  const TuneResult first = tune(planted);
  const std::size_t runs = store_.runs().size();
  const TuneResult second = tune(planted);
  EXPECT_THAT(executor_.started, IsEmpty());
  EXPECT_EQ(store_.runs().size(), runs);
  EXPECT_EQ(second.verdict.ratio, first.verdict.ratio);
  EXPECT_EQ(second.sweep.id, first.sweep.id);
  request_.again = true;
  EXPECT_NE(tune(planted).sweep.id, first.sweep.id);
}

TEST_F(TuneTest, AfterAnInterruptTheSameRequestGoesOn) {
  prepare = [this] { executor_.on_end = [] { raise(SIGINT); }; };
  EXPECT_TRUE(tune(planted).interrupted);
  const std::size_t kept = store_.runs().size();
  EXPECT_GT(kept, 0u);
  prepare = nullptr;
  const TuneResult result = tune(planted);
  EXPECT_EQ(text_of_settings(result.verdict.chosen), "malloc=keep wait=passive");
  EXPECT_TRUE(result.verdict.is_sure());
  EXPECT_GT(store_.runs().size(), kept);
}

TEST_F(TuneTest, ASpentBudgetEndsTheSearchAndNothingIsSure) {
  request_.budget.time = Seconds{2};
  const TuneResult result = tune(planted);
  EXPECT_TRUE(result.budget_spent);
  EXPECT_FALSE(result.verdict.is_sure());
  EXPECT_FALSE(result.sweep.finished);
}

TEST_F(TuneTest, SettingsThatChangeResultsRaceApartOnTopOfWhatWasFound) {
  request_.settings.push_back({"compile", "on", {{kHookVariable, "compile"}}, true});
  const TuneResult result = tune([](const RunContext& context) {
    return planted(context) * (context.settings.contains("compile") ? 0.5 : 1);
  });
  EXPECT_EQ(text_of_settings(result.verdict.chosen), "malloc=keep wait=passive");
  ASSERT_EQ(result.changing.size(), 2u);
  EXPECT_EQ(result.changing[0].settings, "malloc=keep wait=passive");
  EXPECT_EQ(result.changing[1].settings, "compile=on malloc=keep wait=passive");
  EXPECT_NEAR(result.changing[1].ratio->mid, 0.5, 0.02);
  EXPECT_EQ(result.changing[1].race.run->context.machine_type.environment.at(kHookVariable),
            "loss,compile");
}

/// Returns when the first candidate with the setting was started, counted from 0.
std::size_t first_with(const FakeExecutor& executor, const std::string& name) {
  const auto first = std::ranges::find_if(executor.requests, [&](const ProbeRequest& request) {
    return request.context.settings.contains(name);
  });
  return static_cast<std::size_t>(first - executor.requests.begin());
}

TEST_F(TuneTest, WhereTheGpuIsTheLimitSettingsOfItsWorkRaceFirst) {
  request_.probe.context.machine.accelerators = {{.vendor = "nvidia"}};
  request_.settings.push_back({"compile", "on", {{kHookVariable, "compile"}}, true});
  prepare = [this] { executor_.gpu_busy = 90; };
  const TuneResult result = tune(planted);
  EXPECT_LT(first_with(executor_, "compile"), first_with(executor_, "malloc"));
  EXPECT_LT(first_with(executor_, "malloc"), executor_.requests.size());
  EXPECT_NEAR(result.gpu_busy.value_or(0), 0.9, 1e-9);
  EXPECT_EQ(result.gpu_note,
            "GPU busy 90 % of the training with the default: settings that change its work are "
            "tried first");
  // The default trained for 5 s before the search; no row is of that run.
  EXPECT_TRUE(executor_.requests.front().context.warm_up);
  EXPECT_EQ(executor_.requests.front().limits.budget, Seconds{5});
  EXPECT_EQ(executor_.requests.front().limits.startup, Seconds{600});
  EXPECT_NE(result.rows.front().race.run->context.id, executor_.requests.front().context.id);
  ASSERT_EQ(result.changing.size(), 2u);
  EXPECT_EQ(result.changing[0].settings, "");
  EXPECT_EQ(result.changing[1].settings, "compile=on");
  EXPECT_EQ(text_of_settings(result.verdict.chosen), "malloc=keep wait=passive");
  EXPECT_EQ(tune(planted).gpu_note, result.gpu_note);
  EXPECT_THAT(executor_.started, IsEmpty());
}

// The warm-up takes 3.1 s, and so would each of the two candidates.
TEST_F(TuneTest, ASmallBudgetIsSpentOnWhatChangesTheWorkOfABusyGpu) {
  request_.probe.context.machine.accelerators = {{.vendor = "nvidia"}};
  request_.settings.push_back({"compile", "on", {{kHookVariable, "compile"}}, true});
  request_.budget.time = Seconds{8};
  prepare = [this] { executor_.gpu_busy = 100; };
  const TuneResult result = tune(planted);
  EXPECT_TRUE(result.budget_spent);
  for (const TuneRow& row : result.changing) EXPECT_GT(row.race.standing.observed.laps, 0);
  ASSERT_EQ(result.rows.size(), 5u);
  for (const TuneRow& row : result.rows)
    EXPECT_EQ(row.race.standing.state, RaceState::waiting) << row.settings;
  EXPECT_THAT(result.verdict.chosen, IsEmpty());
}

TEST_F(TuneTest, WhereTheGpuIsNotTheLimitTheHostsSettingsRaceFirst) {
  request_.probe.context.machine.accelerators = {{.vendor = "nvidia"}};
  request_.settings.push_back({"compile", "on", {{kHookVariable, "compile"}}, true});
  prepare = [this] { executor_.gpu_busy = 89; };
  const TuneResult result = tune(planted);
  EXPECT_LT(first_with(executor_, "malloc"), first_with(executor_, "compile"));
  EXPECT_NEAR(result.gpu_busy.value_or(0), 0.89, 1e-9);
  EXPECT_EQ(result.gpu_note, "");
  EXPECT_EQ(result.changing[1].settings, "compile=on malloc=keep wait=passive");
}

TEST_F(TuneTest, WithoutSamplesOfTheGpuTheOrderStays) {
  request_.probe.context.machine.accelerators = {{.vendor = "amd"}};
  request_.settings.push_back({"compile", "on", {{kHookVariable, "compile"}}, true});
  const TuneResult result = tune(planted);
  EXPECT_LT(first_with(executor_, "malloc"), first_with(executor_, "compile"));
  EXPECT_FALSE(result.gpu_busy);
}

TEST_F(TuneTest, ABusyGpuWithoutSettingsOfItsWorkIsToldOfThem) {
  request_.probe.context.machine.accelerators = {{.vendor = "nvidia"}};
  prepare = [this] { executor_.gpu_busy = 100; };
  EXPECT_THAT(tune(planted).gpu_note, HasSubstr("--tune all tries those of the GPU first "
                                                "(precision, layout, compile)"));
}

TEST_F(TuneTest, WithoutAPlanTheTimesAreOfAThousandIterations) {
  request_.probe.context.plan.steps = 0;
  const TuneResult result = tune(planted);
  EXPECT_EQ(result.assumed_steps, 1000);
  EXPECT_EQ(text_of_settings(result.verdict.chosen), "malloc=keep wait=passive");
}

TEST_F(TuneTest, AFailedSettingIsARowWithItsReason) {
  executor_.ended = nullptr;
  request_.settings = {setting("malloc", "keep"), setting("threads", "1")};
  prepare = [this] {
    executor_.ended = [](const RunContext& context, std::size_t) {
      if (context.settings.contains("threads")) return run_of_laps(0, 0.1, outcome::Crashed{1, 0});
      return run_of_laps(30, planted(context), outcome::Enough{"2 %"});
    };
  };
  const TuneResult result = tune(planted);
  EXPECT_TRUE(result.any_failed);
  EXPECT_EQ(result.rows[2].race.standing.state, RaceState::failed);
  EXPECT_THAT(result.rows[2].race.standing.reason, HasSubstr("status 1"));
  EXPECT_EQ(text_of_settings(result.verdict.chosen), "malloc=keep");
}

}  // namespace
}  // namespace lapcast
