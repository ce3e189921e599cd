#include "suite/stopwatch_lines.h"

#include <gtest/gtest.h>

#include "import/stopwatch_csv.h"
#include "suite/stage_times.h"

namespace lapcast {
namespace {

/// Its clock begins with it, at 2026-11-20 12:00:00 UTC.
Run five_stages() {
  Run run;
  run.started_ns = 1'000'000'000;
  run.ended_ns = 20'200'000'000;
  run.outcome = outcome::Ended{};
  run.context.machine.host = "box";
  run.context.machine.os = "Debian, Linux 6.1";
  run.lap_logs = {
      "lapcast-laps 1\n"
      "0 hello clock=1000000000 wall=1795176000.000000 pid=7 rank=0 world=1 host=box emitter=t/1\n"
      "0 stage-begin data-load\n613000000 stage-end data-load\n"
      "613000000 stage-begin pre-process\n747000000 stage-end pre-process\n"
      "1000000000 stage-begin compile\n1992000000 stage-end compile\n"
      "2000000000 stage-begin train\n7000000000 i 128\n12511100000 stage-end train\n"
      "12600000000 stage-begin evaluate\n19173000000 stage-end evaluate\n19173000000 bye\n"};
  return run;
}

TEST(StopwatchLines, AreThoseOfThePaper) {
  EXPECT_EQ(stopwatch_lines(five_stages(), "mnist-rnn cpu", "collab"),
            "# csv,data-load,ok,0.613000,0.613000,2026-11-20 12:00:00,mnist-rnn "
            "cpu,box,collab,Linux,Debian  Linux 6.1\n"
            "# csv,data-pre-process,ok,0.134000,0.134000,2026-11-20 12:00:00,mnist-rnn "
            "cpu,box,collab,Linux,Debian  Linux 6.1\n"
            "# csv,compile,ok,0.992000,0.992000,2026-11-20 12:00:01,mnist-rnn "
            "cpu,box,collab,Linux,Debian  Linux 6.1\n"
            "# csv,train,ok,10.511100,10.511100,2026-11-20 12:00:02,mnist-rnn "
            "cpu,box,collab,Linux,Debian  Linux 6.1\n"
            "# csv,evaluate,ok,6.573000,6.573000,2026-11-20 12:00:12,mnist-rnn "
            "cpu,box,collab,Linux,Debian  Linux 6.1\n");
}

TEST(StopwatchLines, OfAFailedRunSaySo) {
  lapcast::Run run = five_stages();
  run.outcome = outcome::Crashed{1, 0};
  EXPECT_NE(stopwatch_lines(run, "a", "b").find("# csv,train,failed,"), std::string::npos);
}

TEST(StopwatchLines, OfARunWithoutStagesAreNone) {
  EXPECT_EQ(stopwatch_lines(lapcast::Run{}, "a", "b"), "");
}

TEST(StopwatchLines, AreReadBackByTheImporter) {
  const lapcast::Run run = five_stages();
  const std::string text = std::string(kStopwatchHeader) + stopwatch_lines(run, "mlp cpu", "u") +
                           stopwatch_lines(run, "mlp cpu", "u") +
                           stopwatch_lines(run, "mlp,\"cuda\n", "u");
  const ImportedLog imported = import_stopwatch_csv(text, "s.csv");
  EXPECT_TRUE(imported.problems.empty());
  ASSERT_EQ(imported.runs.size(), 3u);
  for (const lapcast::Run& back : imported.runs) {
    EXPECT_EQ(back.context.machine_type.name, "box");
    EXPECT_EQ(back.context.started_at, "2026-11-20T12:00:00Z");
    for (const StopwatchStage stage : kStopwatchStages)
      EXPECT_NEAR(time_of(laps_of(back), stage)->time.count(),
                  time_of(laps_of(run), stage)->time.count(), 1e-6)
          << timer_name(stage);
  }
  EXPECT_EQ(imported.runs[2].context.program[1], "mlp  cuda");
}

}  // namespace
}  // namespace lapcast
