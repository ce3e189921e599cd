#include "suite/stopwatch/stopwatch.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

#include "formats/imported.h"

namespace lapcast {
namespace {

using Values = std::vector<double>;

struct Row {
  const char* network;
  double train_cpu, train_gpu, train_tpu, test_cpu, test_gpu, test_tpu;
  int train_gpu_percent, train_tpu_percent, test_gpu_percent, test_tpu_percent;
};

double speed_up(double cpu, double x) {
  return std::round(percentage_speed_up(Values{cpu}, Values{x})->percent);
}

// The rows are table 1 of the review of 2021 as printed.
TEST(StopwatchDevice, HasOneName) {
  EXPECT_EQ(stopwatch_device("cuda"), "gpu");
  EXPECT_EQ(stopwatch_device("GPU"), "gpu");
  EXPECT_EQ(stopwatch_device("Tpu"), "tpu");
}

TEST(PercentageSpeedUp, IsThatOfThePapersTable) {
  const Row rows[] = {
      {"mlp", 71.622, 8.983, 70.666, 0.929, 0.335, 0.954, 697, 1, 177, -3},
      {"cnn", 1259.83, 36.711, 1271.57, 5.41, 0.533, 5.626, 3332, -1, 915, -4},
      {"rnn", 125.111, 38.01, 126.034, 6.573, 0.938, 6.952, 229, -1, 601, -5},
      {"lstm", 398.724, 16.914, 364.476, 18.504, 1.525, 21.61, 2257, 9, 1113, -14},
      {"autoencoder", 127.795, 8.172, 142.383, 5.327, 1.25, 5.935, 1464, -10, 326, -10}};
  for (const Row& row : rows) {
    EXPECT_EQ(speed_up(row.train_cpu, row.train_gpu), row.train_gpu_percent) << row.network;
    EXPECT_EQ(speed_up(row.train_cpu, row.train_tpu), row.train_tpu_percent) << row.network;
    EXPECT_EQ(speed_up(row.test_cpu, row.test_gpu), row.test_gpu_percent) << row.network;
    EXPECT_EQ(speed_up(row.test_cpu, row.test_tpu), row.test_tpu_percent) << row.network;
  }
}

// The ratio of 19, 21 to 9, 11 is 2; its interval, by hand, is 1 / 0.771749 to 1 / 0.276779.
TEST(PercentageSpeedUp, HasAnIntervalWhereBothWereRepeated) {
  const auto repeated = percentage_speed_up(Values{19, 21}, Values{9, 11});
  ASSERT_TRUE(repeated && repeated->interval);
  EXPECT_DOUBLE_EQ(repeated->percent, 100);
  EXPECT_NEAR(repeated->interval->low, 29.5758, 1e-3);
  EXPECT_NEAR(repeated->interval->high, 261.299, 1e-2);
  EXPECT_FALSE(percentage_speed_up(Values{20}, Values{10})->interval);
  EXPECT_FALSE(percentage_speed_up(Values{}, Values{10}));
  EXPECT_FALSE(percentage_speed_up(Values{20}, Values{0}));
}

LapLog log_with(std::initializer_list<StageSpan> stages) {
  LapLog log;
  log.hello = Hello{};
  log.stages = stages;
  return log;
}

TEST(StageTimes, AreSummedOverSpans) {
  const LapLog log = log_with({{"compile", {1'000'000'000, 1'500'000'000}},
                               {"pre-process", {2'000'000'000, 3'000'000'000}},
                               {"compile", {4'000'000'000, 4'250'000'000}}});
  EXPECT_DOUBLE_EQ(time_of(log, StopwatchStage::compile)->time.count(), 0.75);
  EXPECT_DOUBLE_EQ(time_of(log, StopwatchStage::compile)->begin.count(), 1);
  EXPECT_DOUBLE_EQ(time_of(log, StopwatchStage::pre_process)->time.count(), 1);
  EXPECT_FALSE(time_of(log, StopwatchStage::train));
}

/// Returns a run whose clock begins with it, at 2026-11-20 12:00:00 UTC.
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
      EXPECT_NEAR(time_of(*laps_of(back), stage)->time.count(),
                  time_of(*laps_of(run), stage)->time.count(), 1e-6)
          << timer_name(stage);
  }
  EXPECT_EQ(imported.runs[2].context.program[1], "mlp  cuda");
}

}  // namespace
}  // namespace lapcast
