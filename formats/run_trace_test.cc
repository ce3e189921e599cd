#include "formats/run_trace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "forecast/fake_log_test.h"

namespace lapcast {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::IsEmpty;

/// Returns the events of a trace of the run, begun 1 s after another one.
std::vector<json> events_of(const Run& run, const RunTimeline& timeline) {
  std::ostringstream out;
  TraceWriter trace(out);
  RunTimeline first;
  first.started_s = timeline.started_s - 1;
  Run other;
  other.context.id = "other";
  trace.add(other, first);
  trace.add(run, timeline);
  trace.finish();
  std::vector<json> events;
  const json document = json::parse(out.str());
  for (const json& event : document["traceEvents"]) events.push_back(event);
  return events;
}

Run run_of_sweep() {
  Run run;
  run.context.id = "3f0c";
  run.context.sweep = "5eeb";
  run.context.program = {"./train"};
  run.context.machine_type.name = "small";
  return run;
}

/// Returns "PHASE NAME at TS for DUR" of the events with one of these names.
std::vector<std::string> named(const std::vector<json>& events, const std::string& name) {
  std::vector<std::string> found;
  for (const json& event : events)
    if (event["name"] == name)
      found.push_back(event["ph"].get<std::string>() + " at " + event["ts"].dump() +
                      (event.contains("dur") ? " for " + event["dur"].dump() : ""));
  return found;
}

// A lap of 1.5 s, a validation of 0.5 s, a checkpoint of 2 s; the run begins at 1 s of the trace.
TEST(RunTrace, PlacesLapsAndMarksInMicroseconds) {
  FakeLog fake(0);
  fake.lap(1.5).validation(0.5, 10).checkpoint(2);
  RunTimeline timeline{.started_s = 1000, .length_ns = 5'000'000'000, .log = fake.log};
  timeline.marks = {{RunMark::Kind::validation, fake.log.validations[0].span, "10 samples"},
                    {RunMark::Kind::checkpoint, fake.log.stages[0].span, ""},
                    {RunMark::Kind::level_shift, {1'500'000'000, 1'500'000'000}, "lap 1"}};
  const auto events = events_of(run_of_sweep(), timeline);
  EXPECT_THAT(named(events, "lap"), ElementsAre("X at 1000000.0 for 1500000.0"));
  EXPECT_THAT(named(events, "validation"), ElementsAre("X at 2500000.0 for 500000.0"));
  EXPECT_THAT(named(events, "checkpoint"), ElementsAre("b at 3000000.0", "e at 5000000.0"));
  EXPECT_THAT(named(events, "level-shift"), ElementsAre("i at 2500000.0"));
}

// The rounds are on the track of the run and on that of its candidate in the sweep.
TEST(RunTrace, ShowsRoundsBetweenPausesTwice) {
  RunTimeline timeline{.started_s = 1000, .length_ns = 6'000'000'000};
  timeline.marks = {{RunMark::Kind::pause, {2'000'000'000, 5'000'000'000}, ""}};
  const auto events = events_of(run_of_sweep(), timeline);
  const std::string first = "X at 1000000.0 for 2000000.0", second = "X at 6000000.0 for 1000000.0";
  EXPECT_THAT(named(events, "round 1"), ElementsAre(first, first));
  EXPECT_THAT(named(events, "round 2"), ElementsAre(second, second));
  EXPECT_THAT(named(events, "paused"),
              ElementsAre("X at 3000000.0 for 3000000.0", "X at 3000000.0 for 3000000.0"));
}

// 0.5 s of the program's CPU time in a stretch of 1 s, which begins 1 s after the run.
TEST(RunTrace, CountsTheLoadOfTheMachine) {
  RunTimeline timeline{.started_s = 1000};
  timeline.log.loads.push_back(
      {.at_ns = 2'000'000'000, .span_ns = 1'000'000'000, .run_ns = 500'000'000, .mhz = 2400});
  const auto events = events_of(run_of_sweep(), timeline);
  const auto of = [&](const char* name) {
    for (const json& event : events)
      if (event["name"] == name) return event["args"].dump() + " at " + event["ts"].dump();
    return std::string();
  };
  EXPECT_EQ(of("CPUs in use"), R"({"program":0.5} at 2000000.0)");
  EXPECT_EQ(of("clock, MHz"), R"({"CPU":2400.0} at 2000000.0)");
  EXPECT_EQ(of("GPU, degrees Celsius"), "");
}

TEST(RunTrace, HostileNamesStayTexts) {
  lapcast::Run run = run_of_sweep();
  run.context.machine_type.name = std::string("\"},{\x1b[31m\xff") + std::string(5000, 'a');
  for (const json& event : events_of(run, {}))
    if (event["ph"] == "M" && event["args"].contains("name")) {
      EXPECT_LE(event["args"]["name"].get<std::string>().size(), 120U);
    }
}

TEST(RunTrace, WithoutRunsIsEmpty) {
  std::ostringstream out;
  TraceWriter(out).finish();
  EXPECT_THAT(json::parse(out.str())["traceEvents"], IsEmpty());
}

}  // namespace
}  // namespace lapcast
