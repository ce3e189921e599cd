#include "formats/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHeader =
    "# csv,timer,status,time,sum,start,tag,uname.node,user,uname.system,platform.version\n";
constexpr const char* kRows =
    "# csv,data-load,ok,1.5,1.5,2022-03-01 12:00:00,mlp,box,ann,Linux,#1 SMP\n"
    "# csv,train,ok,10.25,10.25,2022-03-01 12:00:02,mlp,box,ann,Linux,#1 SMP\n"
    "# csv,evaluate,ok,0.5,0.5,2022-03-01 12:00:12,mlp,box,ann,Linux,#1 SMP\n";

TEST(Stopwatch, TimersBecomeStagesAndTheTrainingALap) {
  const std::string output = std::string("Epoch 1/5\n") + kHeader + kRows + "done\n";
  const ImportedLog imported = import_stopwatch_csv(output, "out.txt");
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_EQ(imported.runs.size(), 1U);
  const auto& run = imported.runs[0];
  EXPECT_THAT(run.context.program, ElementsAre("stopwatch", "mlp"));
  EXPECT_EQ(run.context.machine_type.name, "box");
  EXPECT_EQ(run.context.started_at, "2022-03-01T12:00:00Z");
  EXPECT_EQ(run.wall(), Seconds{12.25});
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.stages.size(), 3U);
  EXPECT_EQ(log.stages[0].name, "data-load");
  EXPECT_EQ(log.stages[2].span.seconds(), Seconds{0.5});
  ASSERT_EQ(log.laps.size(), 1U);
  EXPECT_EQ(log.laps[0].seconds(), Seconds{10.25});
}

TEST(Stopwatch, ANewerRowHasAMessageBeforeTheNode) {
  const auto run =
      import_stopwatch_csv(
          "# csv,train,ok,10.25,10.25,2022-03-01 12:00:02,mlp,None,box,ann,Linux,0.1\n", "a")
          .runs.at(0);
  EXPECT_EQ(run.context.machine_type.name, "box");
}

TEST(Stopwatch, TheHeaderMayBeMissing) {
  EXPECT_EQ(import_stopwatch_csv(kRows, "a").runs,
            import_stopwatch_csv(std::string(kHeader) + kRows, "a").runs);
}

TEST(Stopwatch, OrTheMark) {
  const ImportedLog imported =
      import_stopwatch_csv("timer,status,time,tag\nload,ok,1,x\ntrain,ok,2,x\n", "a");
  EXPECT_EQ(imported.runs.at(0).wall(), Seconds{3});
}

TEST(Stopwatch, ATimerThatComesAgainIsAnotherRun) {
  const ImportedLog imported = import_stopwatch_csv(std::string(kRows) + kRows, "a");
  ASSERT_EQ(imported.runs.size(), 2U);
  EXPECT_EQ(imported.runs[0], imported.runs[1]);  // the same times: the same run
}

TEST(Stopwatch, WithoutATrainingThereIsNoLap) {
  const auto run = import_stopwatch_csv("# csv,load,ok,1.5\n", "a").runs.at(0);
  EXPECT_EQ(run.outcome, Outcome{outcome::NoLaps{"no timer is called train, training or fit"}});
}

TEST(Stopwatch, SaysWhatIsWrong) {
  EXPECT_THAT(import_stopwatch_csv("", "a").problems,
              ElementsAre(HasSubstr("no line of a stopwatch")));
  const ImportedLog imported = import_stopwatch_csv(
      "# csv,train,ok,None,1\n# csv,train,failed,2\n# csv,\"broken\n# csv,x,ok,-1\n", "a");
  EXPECT_THAT(imported.problems, ElementsAre(HasSubstr("line 1: no timer with a time in seconds; "
                                                       "3 lines in all")));
  EXPECT_THAT(imported.runs.at(0).warnings, Contains("line 2: timer 'train' says: failed"));
}

}  // namespace
}  // namespace lapcast
