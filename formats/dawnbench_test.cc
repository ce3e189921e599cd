#include "formats/imported.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "history/assessment.h"
#include "run/run_cost.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kJson = R"json({"model": "Net 9", "hardware": "V100 (p3.2xlarge)",
  "framework": "own 1.0", "costPerHour": 3.60, "timestamp": "2018-11-06",
  "misc": {"deep": {"batchSize": 512}}})json";
// 36 s for the first epoch, 18 s for the others.
constexpr const char* kTsv =
    "epoch\thours\ttop1Accuracy\n1\t0.01\t50\n2\t0.015\t75.5\n3\t0.02\t94\n";

Run run_of(std::string_view json, std::string_view tsv, const std::string& source = "CIFAR10/a") {
  ImportedLog imported = import_dawnbench(json, tsv, source);
  EXPECT_EQ(imported.runs.size(), 1U);
  return imported.runs.empty() ? Run{} : imported.runs[0];
}

TEST(Dawnbench, RowsBecomeLaps) {
  const auto run = run_of(kJson, kTsv);
  EXPECT_EQ(run.context.machine_type.name, "V100 (p3.2xlarge)");
  EXPECT_THAT(run.context.program, ElementsAre("dawnbench", "Net 9"));
  EXPECT_EQ(run.context.settings.at("batch"), "512");
  EXPECT_EQ(run.context.started_at, "2018-11-06T00:00:00Z");
  EXPECT_EQ(run.wall(), Seconds{72});
  const LapLog log = *laps_of(run);
  EXPECT_EQ(log.damage, std::nullopt);
  ASSERT_EQ(log.laps.size(), 3U);
  EXPECT_EQ(log.laps[0].seconds(), Seconds{36});
  EXPECT_EQ(log.laps[2].seconds(), Seconds{18});
  EXPECT_EQ(log.laps[2].samples, 50'000);
  ASSERT_EQ(log.metrics.size(), 3U);
  EXPECT_DOUBLE_EQ(log.metrics[1].value, 0.755);
}

// As DAWNBench counts: 0.02 h * 3.60 USD/h.
TEST(Dawnbench, CostsWhatItsRulesSay) {
  const auto run = run_of(kJson, kTsv);
  EXPECT_EQ(run.context.price->source, "DAWNBench entry CIFAR10/a");
  EXPECT_EQ(run.context.price->as_of, "2018-11-06");
  EXPECT_EQ(cost_of_run(run, {}), Money::parse("0.072"));
}

TEST(Dawnbench, ReadsTheQuirksOfItsEntries) {
  const auto plain = run_of(kJson, kTsv);
  const char* const others[] = {
      ("\xEF\xBB\xBF"
       "epoch\thours\ttop1Accuracy\r\n1\t0.01\t50\r\n2\t0.015\t75.5\r\n3\t0.02\t94\r\n"),
      "hours\tepoch\ttop1Accuracy\n0.01\t1\t50\n0.015\t2\t75.5\n\n0.02\t3\t94",
      "epoch\thours\ttop1Accuracy\n0\t0.01\t50\n1\t0.015\t75.5\n2\t0.02\t94\n",
      "epoch,hours,top1Accuracy\n1,0.01,50\n2,0.015,75.5\n3,0.02,94\n",
  };
  for (const char* tsv : others) EXPECT_EQ(run_of(kJson, tsv).lap_logs, plain.lap_logs) << tsv;
}

TEST(Dawnbench, IrregularRowsAreComparedPerSample) {
  const auto run = run_of(kJson, "epoch\thours\n5\t0.05\n10\t0.1\n11\t0.11\n", "SQuAD/b");
  EXPECT_THAT(run.warnings, Contains(HasSubstr("rows are 1 to 5 epochs apart")));
  EXPECT_THAT(run.warnings, Contains(HasSubstr("the data set is not known")));
  const LapLog log = *laps_of(run);
  EXPECT_EQ(log.laps[0].samples, 5000);
  EXPECT_EQ(log.laps[2].samples, 1000);
}

TEST(Dawnbench, APriceMayBeMissing) {
  const auto run = run_of(R"({"hardware": "K80"})", kTsv);
  EXPECT_FALSE(run.context.price);
  EXPECT_THAT(run.warnings, Contains("the entry has no costPerHour"));
}

TEST(Dawnbench, SaysWhatIsWrongAndUsesTheRest) {
  const ImportedLog imported = import_dawnbench(
      "{", "epoch\thours\n1\t0.01\n1\t0.02\n2\tsoon\n3\t0.005\n4\t0.03\nfive\t1\n", "c");
  ASSERT_EQ(imported.runs.size(), 1U);
  EXPECT_EQ(laps_of(imported.runs[0])->laps.size(), 2U);
  EXPECT_THAT(imported.problems, ElementsAre("its JSON cannot be used: it is not a JSON object",
                                             "line 3: epoch 1 after epoch 1; left out",
                                             "line 4: no time in the column hours",
                                             "line 5: epoch 3 ends before epoch 1; left out",
                                             "line 7: no number in the column epoch"));
}

TEST(Dawnbench, WithoutRowsThereIsNoRun) {
  for (const char* tsv : {"", "epoch\thours\n", "a\tb\n1\t2\n"}) {
    const ImportedLog imported = import_dawnbench(kJson, tsv, "d");
    EXPECT_THAT(imported.runs, IsEmpty());
    EXPECT_THAT(imported.problems, Contains("no row with an epoch and hours")) << tsv;
  }
}

}  // namespace
}  // namespace lapcast
