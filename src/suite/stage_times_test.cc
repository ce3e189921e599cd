#include "suite/stage_times.h"

#include <gmock/gmock.h>

#include <cmath>
#include <vector>

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

// Table 1 of [G] as printed.
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

// 19, 21 against 9, 11: ratio 2, and by hand as in ratio_test.cc 1 / 0.771749 to 1 / 0.276779.
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

}  // namespace
}  // namespace lapcast
