#include "run/run_start.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

RunStart started(MonotonicNs ns, const char* at) {
  Run run;
  run.started_ns = ns;
  run.context.started_at = at;
  return start_of(run);
}

// The clocks agree to a second: the one with the finer steps counts.
TEST(RunStart, OneClockTellsFractionsOfASecond) {
  const RunStart first = started(1'500'000'000, "2026-11-25T10:00:00Z");
  const RunStart second = started(4'000'000'000, "2026-11-25T10:00:03Z");
  EXPECT_DOUBLE_EQ(seconds_between(first, second), 2.5);
  EXPECT_DOUBLE_EQ(seconds_between(second, first), -2.5);
}

// Another machine, or the same one after a new start, has another clock.
TEST(RunStart, AcrossMachinesTheTimeOfDayCounts) {
  const RunStart first = started(900'000'000'000, "2026-11-25T10:00:00Z");
  const RunStart second = started(1'000'000'000, "2026-11-25T10:01:00Z");
  EXPECT_DOUBLE_EQ(seconds_between(first, second), 60);
}

TEST(RunStart, WithoutATimeOfDayOnlyTheClockIsLeft) {
  EXPECT_DOUBLE_EQ(seconds_between(started(0, ""), started(2'000'000'000, "2026-11-25T10:00:00Z")),
                   2);
}

}  // namespace
}  // namespace lapcast
