#include "lap/laps_kind.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <vector>

#include "lap/lap_log_format.h"

namespace lapcast {
namespace {

std::string log_by(const std::string& emitter, const char* events = "7 i 0\n") {
  return fmt::format("lapcast-laps 1\n0 hello clock=5 pid=1 emitter={}\n{}", emitter, events);
}

TEST(KindOfLaps, IsTheEmitterWithoutItsVersion) {
  using Logs = std::vector<std::string>;
  EXPECT_EQ(kind_of_laps(Logs{log_by("python/1")}), "python");
  EXPECT_EQ(kind_of_laps(Logs{log_by("python/2")}), "python");
  EXPECT_EQ(kind_of_laps(Logs{log_by("mine")}), "mine");
  EXPECT_EQ(kind_of_laps(Logs{"lapcast-laps 1\n0 hello clock=0\n7 i 10\n"}), "");
  EXPECT_EQ(kind_of_laps(Logs{}), "");
}

TEST(KindOfLaps, LapsThatTheProgramReportsArePreferred) {
  const std::string loads = log_by("lapcast-load/1", "5 load 5 cpus=2\n");
  const std::string lines = log_by("lapcast-output/1");
  const std::string hook = log_by("python/1");
  const std::string silent_hook = log_by("python/1", "5 note nothing\n");
  EXPECT_EQ(kind_of_laps(std::vector{loads, lines, hook}), "python");
  EXPECT_EQ(kind_of_laps(std::vector{hook, lines, loads}), "python");
  EXPECT_EQ(kind_of_laps(std::vector{silent_hook, lines, loads}), "lapcast-output");
}

TEST(KindOfLaps, OfLinesIsTheExpressionThatFindsThem) {
  const auto kind = [](std::string_view expression, bool whole = false) {
    const std::string emitter = emitter_of_lines(expression, whole);
    EXPECT_TRUE(is_name(emitter)) << emitter;
    return kind_of_laps(std::vector{log_by(emitter)});
  };
  EXPECT_EQ(kind(""), "lapcast-output");
  EXPECT_EQ(kind("", true), "lapcast-output/whole");
  EXPECT_EQ(kind("step ([0-9]+)"), kind("step ([0-9]+)"));
  EXPECT_NE(kind("step ([0-9]+)"), kind("epoch ([0-9]+)"));
  EXPECT_NE(kind("step ([0-9]+)"), kind(""));
}

}  // namespace
}  // namespace lapcast
