#include "query/worker_forecast.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace lapcast {
namespace {

/// Returns a training until it stopped improving, of one lap an epoch with so many samples.
Run trained(std::int64_t samples, std::int64_t epochs,
            std::map<std::string, std::string> settings) {
  Run run;
  run.context.kind = RunKind::find_epochs;
  run.context.program = {"torchrun", "{workers}", "train.py", "--batch", "{batch}"};
  run.context.settings = std::move(settings);
  run.context.started_at = "2026-11-20T12:00:00Z";
  run.outcome = outcome::Ended{};
  std::string log = "lapcast-laps 1\n0 hello clock=0\n";
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch)
    log += fmt::format("{0}0 epoch-begin {0}\n{0}5 i {1}\n{0}7 epoch-end {0}\n", epoch, samples);
  run.lap_logs = {log};
  return run;
}

RunContext asked() {
  return trained(1, 1, {{"batch", "32"}, {"workers", "1"}}).context;
}

TEST(LearnedNeeds, AreThoseOfAllTrainingsWithAsManySamplesInALap) {
  const std::vector<lapcast::Run> runs{
      trained(32, 10, {{"batch", "32"}, {"workers", "1"}}),
      trained(64, 14, {{"batch", "32"}, {"workers", "2"}}),
      trained(64, 18, {{"batch", "64"}, {"workers", "1"}}),
      trained(64, 16, {{"batch", "64"}, {"workers", "1"}, {"seed", "2"}})};
  const EpochsByBatch needs = learned_needs(asked(), runs);
  ASSERT_EQ(needs.size(), 2U);
  EXPECT_EQ(needs.at(32), Interval<double>::exactly(10));  // one training tells no spread
  // 14, 16, 18: Student's t of 2 degrees of freedom is 4.303 at 0.975; 4.303 * 2 * sqrt(4/3)
  // = 9.94.
  EXPECT_NEAR(needs.at(64).low, 16 - 9.94, 0.01);
  EXPECT_EQ(needs.at(64).mid, 16);
  EXPECT_NEAR(needs.at(64).high, 16 + 9.94, 0.01);
}

TEST(LearnedNeeds, OfOtherProgramsSettingsAndOlderWaysToStopDoNotCount) {
  std::vector<lapcast::Run> runs(4, trained(32, 10, {{"batch", "32"}}));
  runs[0].context.program[2] = "other.py";
  runs[1].context.settings["lr"] = "0.1";
  runs[2].context.kind = RunKind::full;
  runs[3].context.patience = 3;
  runs[3].context.started_at = "2026-11-19T12:00:00Z";
  runs.push_back(trained(64, 12, {{"batch", "64"}}));
  const EpochsByBatch needs = learned_needs(asked(), runs);
  EXPECT_EQ(needs, (EpochsByBatch{{64, Interval<double>::exactly(12)}}));
  EXPECT_TRUE(learned_needs(asked(), {}).empty());
}

TEST(RunsByMachine, AreOneFitForEachTypeUnlessSomeAreNamed) {
  std::vector<lapcast::Run> runs(4);
  for (std::size_t i = 0; const char* name : {"b", "a", "b", "c, d"})
    runs[i++].context.machine_type.name = name;
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].context.id = std::to_string(i);
  const auto ids = [](const RunsByMachine& by_machine) {
    std::map<std::string, std::string> ids;
    for (const auto& [name, own] : by_machine)
      for (const lapcast::Run& run : own) ids[name] += run.context.id;
    return ids;
  };
  using Ids = std::map<std::string, std::string>;
  EXPECT_EQ(ids(runs_by_machine_type(runs, "")), (Ids{{"a", "1"}, {"b", "02"}, {"c, d", "3"}}));
  EXPECT_EQ(ids(runs_by_machine_type(runs, "b")), (Ids{{"b", "02"}}));
  EXPECT_EQ(ids(runs_by_machine_type(runs, "a,b")), (Ids{{"a,b", "012"}}));
  EXPECT_EQ(ids(runs_by_machine_type(runs, "c, d")), (Ids{{"c, d", "3"}}));
  EXPECT_THROW(runs_by_machine_type(runs, "a,x"), Error);
}

}  // namespace
}  // namespace lapcast
