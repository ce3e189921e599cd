#include "choose/validation_sources.h"

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

TEST(ValidationSources, TheOneThatSawMost) {
  const std::vector<lapcast::Run> runs{run_of("a", 1), run_of("b", 3), run_of("c", 0),
                                       run_of("d", 9, {"./other"})};
  const std::vector<ValidationSource> validation_sources = validation_sources_of(runs);
  ASSERT_EQ(validation_sources.size(), 3u);
  const ValidationSource* validation_source =
      validation_source_for(runs[2].context, validation_sources);
  ASSERT_NE(validation_source, nullptr);
  EXPECT_EQ(validation_source->run_id, "b");
  EXPECT_EQ(validation_source->validation.where, "run b on small");
  EXPECT_NEAR(validation_source->validation.later_ratio, 4, 1e-9);  // 2 s / 50 over 1 s / 100
}

TEST(ValidationSources, NobodyGivesToItself) {
  const std::vector<lapcast::Run> runs{run_of("a", 1)};
  EXPECT_EQ(validation_source_for(runs[0].context, validation_sources_of(runs)), nullptr);
}

TEST(ValidationSources, OfOtherSettingsNothingIsTaken) {
  std::vector<lapcast::Run> runs{run_of("a", 1), run_of("b", 0)};
  runs[0].context.settings = {{"batch", "64"}};
  EXPECT_EQ(validation_source_for(runs[1].context, validation_sources_of(runs)), nullptr);
}

}  // namespace
}  // namespace lapcast
