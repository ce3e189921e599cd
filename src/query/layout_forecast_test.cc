#include "query/layout_forecast.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "fleet/worker_gpus.h"

namespace lapcast {
namespace {

TEST(LayoutForecastTest, LayoutsAreParsedOrRefused) {
  const AskedLayout layout = parse_layout("pp=4,tp=2,micro=1,dp=8");
  EXPECT_EQ(layout.tensor, 2);
  EXPECT_EQ(layout.pipeline, 4);
  EXPECT_EQ(layout.data, 8);
  EXPECT_EQ(layout.micro_batch, 1);
  EXPECT_EQ(parse_layout("pp=4").tensor, 1);
  EXPECT_FALSE(parse_layout("pp=4").data);
  for (const char* wrong : {"", "tp", "tp=", "tp=0", "tp=-1", "tp=2,tp=4", "xp=2", "tp=2,", "=2",
                            "tp=1.5", "tp=99999999999", "tp=2;pp=4"})
    EXPECT_THROW(parse_layout(wrong), Error) << wrong;
}

Run run_of(SettingValues settings, std::vector<std::string> more = {}) {
  Run run;
  run.context.settings = std::move(settings);
  run.context.program = {"torchrun", "pretrain.py"};
  run.context.program.insert(run.context.program.end(), more.begin(), more.end());
  return run;
}

TrainingOnWorkers on_workers(double workers, double batch) {
  return {.workers = {1, workers}, .batch = batch};
}

TEST(LayoutForecastTest, SettingsAndArgumentsTellTheLayoutOfARun) {
  // 64 samples on 2 data parallel ways, 4 at once: 8 micro-batches of each.
  const Layout expected{
      .tensor = 2, .pipeline = 2, .data = 2, .micro_batch = 4, .micro_batches = 8, .layers = 24};
  const auto by_settings =
      layout_of(run_of({{"tp", "2"}, {"pp", "2"}, {"micro", "4"}}), on_workers(8, 64), 24);
  ASSERT_TRUE(by_settings);
  EXPECT_EQ(*by_settings, expected);
  const auto by_arguments =
      layout_of(run_of({}, {"--tensor-model-parallel-size", "2", "--pipeline-model-parallel-size=2",
                            "--micro-batch-size", "4"}),
                on_workers(8, 64), 24);
  ASSERT_TRUE(by_arguments);
  EXPECT_EQ(*by_arguments, expected);
  const auto data_alone = layout_of(run_of({}), on_workers(8, 64), 24);
  ASSERT_TRUE(data_alone);
  EXPECT_EQ(data_alone->data, 8);
  EXPECT_EQ(data_alone->micro_batch, 8);
  EXPECT_EQ(data_alone->micro_batches, 1);
}

TEST(LayoutForecastTest, WhatDoesNotFitTogetherIsAReason) {
  const auto reason = [](const lapcast::Run& run, double batch) {
    const auto layout = layout_of(run, on_workers(8, batch), 24);
    return layout ? std::string() : layout.error().text;
  };
  EXPECT_EQ(reason(run_of({{"tp", "3"}}), 64),
            "3 tensor and 1 pipeline parallel ways do not divide its 8 workers");
  EXPECT_EQ(reason(run_of({{"pp", "2"}}), 0), "the samples of a lap are not known");
  EXPECT_EQ(reason(run_of({{"pp", "2"}}), 64),
            "the samples of a micro-batch are not known: give --set micro=N a placeholder");
  EXPECT_EQ(reason(run_of({{"micro", "16"}}), 64),
            "a micro-batch of 16 on 8 data parallel ways is more than the 64 samples of a lap");
}

}  // namespace
}  // namespace lapcast
