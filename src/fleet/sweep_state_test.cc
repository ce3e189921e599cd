#include "fleet/sweep_state.h"

#include <gtest/gtest.h>

#include "lap/lap_log_writer.h"

namespace lapcast {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

/// Returns a probe of 30 laps of `lap_ns` each, of a training of 100 laps.
Run probe_of(const RunContext& candidate, std::int64_t lap_ns) {
  lapcast::Run run;
  run.context = candidate;
  run.context.plan.steps = 100;
  run.outcome = outcome::Enough{};
  run.started_ns = 100 * kSecond;
  std::string log = lap_log_opening({run.started_ns, 1000, 7, 0, 1, "a", "test"});
  for (int lap = 1; lap <= 30; ++lap) log += std::to_string(lap * lap_ns) + " i 8\n";
  run.ended_ns = run.started_ns + 31 * lap_ns;
  run.lap_logs = {log};
  return run;
}

RunContext candidate(const std::string& machine) {
  RunContext context;
  context.machine_type.name = machine;
  context.program = {"./train"};
  return context;
}

Assessment from_own_laps(const Run& run) {
  return assess(run);
}

TEST(ToConfirm, StoredRunsSayWhichCandidateAndNeverWhatIsRun) {
  const std::vector<RunContext> candidates{candidate("slow"), candidate("fast")};
  std::vector<lapcast::Run> runs{probe_of(candidates[0], kSecond),
                                 probe_of(candidates[1], kSecond / 10)};
  for (lapcast::Run& run : runs) run.context.program = {"./another"};
  const auto chosen = to_confirm(candidates, runs, 1, from_own_laps);
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0], candidates[1]);
  EXPECT_TRUE(to_confirm({candidate("third")}, runs, 1, from_own_laps).empty());
}

TEST(ToConfirm, WhatCannotBePricedIsTheMostExpensive) {
  std::vector<RunContext> candidates{candidate("centuries"), candidate("days")};
  Offer price;
  price.price.per_hour = Money::parse("1");
  for (RunContext& each : candidates) each.price = price;
  std::vector<lapcast::Run> runs{probe_of(candidates[0], kSecond / 10),
                                 probe_of(candidates[1], kSecond)};
  runs[0].context.plan.steps = 1'000'000'000'000;  // 1e11 s
  const auto chosen = to_confirm(candidates, runs, 1, from_own_laps);
  ASSERT_EQ(chosen.size(), 1u);
  EXPECT_EQ(chosen[0].machine_type.name, "days");
}

}  // namespace
}  // namespace lapcast
