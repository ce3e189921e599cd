#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/imported.h"

namespace lapcast {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// Returns the only run of a log of which nothing is left out.
Run only_run(const ImportedLog& imported) {
  EXPECT_THAT(imported.problems, IsEmpty());
  EXPECT_EQ(imported.runs.size(), 1U);
  return imported.runs.at(0);
}

// metrics.json of detectron2: 19 iterations of 1.5 s, 20 of 1.4, 20 of 1.6. Python writes NaN.
TEST(MetricsJson, TimesBesideThoseOfLoadingAreOfOneStep) {
  const auto run = only_run(import_rows_json(
      "{\"data_time\": 0.2, \"eta_seconds\": 2241.0, \"iteration\": 19, \"time\": 1.5}\n"
      "{\"data_time\": 0.2, \"bbox/AP\": NaN, \"iteration\": 39, \"time\": 1.4}\n"
      "{\"data_time\": 0.2, \"iteration\": 59, \"time\": 1.6}\n",
      "metrics.json"));
  EXPECT_EQ(laps_of(run)->laps.size(), 59U);
  EXPECT_NEAR(run.wall().count(), 19 * 1.5 + 20 * 1.4 + 20 * 1.6, 1e-6);
  EXPECT_EQ(run.warnings.size(), 2U);
}

// As mmdetection 2 writes them: `iter` counts within an epoch, and that of an evaluation is its
// own.
TEST(MetricsJson, StepsOfEachEpochAreCountedOn) {
  const auto run = only_run(import_rows_json(
      "{\"mode\": \"train\", \"epoch\": 1, \"iter\": 50, \"time\": 0.2, \"data_time\": 0.1}\n"
      "{\"mode\": \"train\", \"epoch\": 1, \"iter\": 100, \"time\": 0.2, \"data_time\": 0.1}\n"
      "{\"mode\": \"val\", \"epoch\": 1, \"iter\": 25, \"bbox_mAP\": 0.3}\n"
      "{\"mode\": \"train\", \"epoch\": 2, \"iter\": 50, \"time\": 0.2, \"data_time\": 0.1}\n"
      "{\"mode\": \"train\", \"epoch\": 2, \"iter\": 100, \"time\": 0.2, \"data_time\": 0.1}\n",
      "20200101.log.json"));
  EXPECT_EQ(laps_of(run)->laps.size(), 200U);
  EXPECT_NEAR(run.wall().count(), 40, 1e-6);
}

// stats.jsonl of StyleGAN: sums of several numbers, and moments of the ends of its ticks.
TEST(MetricsJson, ANumberMayBeTheMeanOfSeveral) {
  const auto run = only_run(import_rows_json(
      "{\"Progress/tick\": {\"num\": 1, \"mean\": 0}, \"timestamp\": 1600000000}\n"
      "{\"Progress/tick\": {\"num\": 1, \"mean\": 1}, \"timestamp\": 1600000200}\n"
      "{\"Progress/tick\": {\"num\": 1, \"mean\": 2}, \"timestamp\": 1600000350}\n",
      "stats.jsonl"));
  const LapLog log = *laps_of(run);
  ASSERT_EQ(log.laps.size(), 2U);
  EXPECT_THAT((std::vector{log.laps[0].seconds(), log.laps[1].seconds()}),
              ElementsAre(Seconds{200}, Seconds{150}));
}

TEST(MetricsJson, OneRowAloneIsNoLog) {
  EXPECT_FALSE(names_metrics_json("{\"epochs\": 90, \"time\": \"now\"}"));
  EXPECT_FALSE(names_metrics_json("[{\"step\": 1}, {\"step\": 2}]"));
  EXPECT_TRUE(names_metrics_json("[{\"step\": 1, \"time\": 2}, {\"step\": 2, \"time\": 3}]"));
}

}  // namespace
}  // namespace lapcast
