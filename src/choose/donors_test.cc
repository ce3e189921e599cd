#include "choose/donors.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace lapcast {
namespace {

/// A run of ten laps of 1 s on 100 samples, then so many validations of 2 s on 50 samples.
Run run_of(const std::string& id, int validations, std::vector<std::string> program = {"./train"}) {
  Run run;
  run.context.id = id;
  run.context.program = std::move(program);
  run.context.machine_type.name = "small";
  run.outcome = outcome::Ended{};
  std::string log = "lapcast-laps 1\n0 hello clock=0\n";
  std::int64_t at = 0;
  for (int i = 0; i < 10; ++i) log += fmt::format("{} i 100\n", at += 1000000000);
  for (int i = 0; i < validations; ++i) {
    log += fmt::format("{} validation-begin\n", at);
    log += fmt::format("{} validation-end 50\n", at += 2000000000);
  }
  run.lap_logs = {log};
  run.ended_ns = at;
  return run;
}

TEST(Donors, TheOneThatSawMost) {
  const std::vector<lapcast::Run> runs{run_of("a", 1), run_of("b", 3), run_of("c", 0),
                              run_of("d", 9, {"./other"})};
  const std::vector<Donor> donors = donors_of(runs);
  ASSERT_EQ(donors.size(), 3u);
  const Donor* donor = donor_for(runs[2].context, donors);
  ASSERT_NE(donor, nullptr);
  EXPECT_EQ(donor->run_id, "b");
  EXPECT_EQ(donor->validation.where, "run b on small");
  EXPECT_NEAR(donor->validation.later_ratio, 4, 1e-9);  // 2 s / 50 over 1 s / 100
}

TEST(Donors, NobodyGivesToItself) {
  const std::vector<lapcast::Run> runs{run_of("a", 1)};
  EXPECT_EQ(donor_for(runs[0].context, donors_of(runs)), nullptr);
}

TEST(Donors, OfOtherSettingsNothingIsTaken) {
  std::vector<lapcast::Run> runs{run_of("a", 1), run_of("b", 0)};
  runs[0].context.settings = {{"batch", "64"}};
  EXPECT_EQ(donor_for(runs[1].context, donors_of(runs)), nullptr);
}

}  // namespace
}  // namespace lapcast
