#include "nqueens/device_laps.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lapcast::workloads::nqueens {
namespace {

/// Records the calls for `count` laps, of which the first `quick` end at once.
std::string calls_for(int64_t count, int64_t quick) {
  std::string calls;
  const auto note = [&](const char* what, int64_t lap) {
    calls += what + std::to_string(lap) + " ";
  };
  run_laps(count,
           {[&](int64_t lap) { note("start", lap); }, [&](int64_t lap) { return lap <= quick; },
            [&](int64_t lap) {
              note(lap <= quick ? "take" : "wait", lap);
              return lap * 10;
            }},
           {[&](int64_t lap) { note("queued", lap); },
            [&](int64_t lap, int64_t at) {
              EXPECT_EQ(at, lap * 10);
              note("ended", lap);
            }});
  return calls;
}

/// A lap is waited for when the lap after the next two takes its place, and at the end.
TEST(RunLaps, WaitsOnlyForTheLapWhosePlaceIsTaken) {
  EXPECT_EQ(calls_for(5, 0),
            "start1 queued1 start2 queued2 start3 queued3 wait1 ended1 start4 queued4 "
            "wait2 ended2 start5 queued5 wait3 ended3 wait4 ended4 wait5 ended5 ");
}

TEST(RunLaps, ReportsAtOnceWhatHasEnded) {
  EXPECT_EQ(calls_for(3, 2),
            "start1 queued1 take1 ended1 start2 queued2 take2 ended2 start3 queued3 wait3 ended3 ");
  EXPECT_EQ(calls_for(0, 0), "");
}

TEST(KernelTimes, CountOverlapsOnceAndGapsNot) {
  KernelTimes times(1'000'000'000);
  EXPECT_EQ(times.add(1, 5), 1'005'000'000);      // 1 to 5
  EXPECT_EQ(times.add(-2, 3), 1'008'000'000);     // 3 to 8: 3 more
  EXPECT_EQ(times.add(-1, -0.5), 1'008'000'000);  // 7 to 7.5, within the one before
  EXPECT_EQ(times.add(2.5, 4.5), 1'012'000'000);  // 10 to 12
  EXPECT_DOUBLE_EQ(times.seconds(), 0.009);
}

}  // namespace
}  // namespace lapcast::workloads::nqueens
