#include "probe/cut_off_run.h"

#include <gmock/gmock.h>

#include "posix/folder_test.h"
#include "run/race_outcomes.h"

namespace lapcast {
namespace {

using testing::HasSubstr;

constexpr MonotonicNs kSecondNs = 1'000'000'000;
constexpr std::int64_t kMostBytes = 1 << 20;

class CutOffRun : public FolderTest {
 protected:
  /// Writes the lap log of complete.log, whose clock begins at 500 ns.
  void leave_laps() const {
    std::filesystem::create_directories(folder_ / "laps");
    std::filesystem::copy(
        std::filesystem::path(LAPCAST_SOURCE_DIR) / "tests/golden/lap-log/complete.log",
        folder_ / "laps" / "laps.1.0.log");
  }
  lapcast::Run cut(const HeardOfRun& heard, MonotonicNs ended_ns = 0) const {
    return cut_off_run({}, kMostBytes, heard, folder_, ended_ns, "it was killed");
  }
};

TEST_F(CutOffRun, HasTheLapsAndTheTimeUntilItsEnd) {
  leave_laps();
  const lapcast::Run run = cut({.started_ns = 1000, .elapsed = Seconds{2}}, 3 * kSecondNs);
  EXPECT_THAT(describe(run.outcome), HasSubstr("not ended: it was killed after "));
  EXPECT_EQ(run.ended_ns, 3 * kSecondNs);
  EXPECT_FALSE(laps_of(run)->laps.empty());
}

TEST_F(CutOffRun, WithoutLapsItHasTheTimeOfItsLastProgress) {
  const lapcast::Run run = cut({.started_ns = 5 * kSecondNs, .elapsed = Seconds{2}});
  EXPECT_EQ(describe(run.outcome), "not ended: it was killed before its first lap");
  EXPECT_EQ(run.wall(), Seconds{2});
}

TEST_F(CutOffRun, OfWhichNothingWasHeardTakesNoTime) {
  EXPECT_EQ(cut({}, 9 * kSecondNs).wall(), Seconds{0});
  const lapcast::Run run = cut_off_run({}, kMostBytes, {}, {}, 9 * kSecondNs, "it was killed");
  EXPECT_EQ(describe(run.outcome), "not started: it was killed");
}

/// Returns what was heard of a race's run: started at 10 s, suspended at 14 s after a pause of 1 s.
HeardOfRun heard_at_pause() {
  lapcast::Run round;
  round.started_ns = 10 * kSecondNs;
  round.ended_ns = 14 * kSecondNs;
  round.pauses = {{11 * kSecondNs, 12 * kSecondNs}};
  round.outcome = end_of_round();
  return {.started_ns = 10 * kSecondNs, .elapsed = Seconds{3}, .so_far = round};
}

TEST_F(CutOffRun, KilledWhileSuspendedDoesNotCountThePause) {
  const lapcast::Run run = cut(heard_at_pause(), 100 * kSecondNs);
  EXPECT_EQ(run.wall(), Seconds{3});  // 4 s until the suspension, of which 1 s was a pause
}

TEST_F(CutOffRun, KilledInALaterRoundItCountsFromTheEndOfThePause) {
  HeardOfRun heard = heard_at_pause();
  heard.elapsed = Seconds{5};  // 2 s more than when it was suspended
  heard.heard_ns = 22 * kSecondNs;
  const lapcast::Run run = cut(heard, 23 * kSecondNs);
  ASSERT_EQ(run.pauses.size(), 2u);
  EXPECT_EQ(run.pauses[1], (Pause{14 * kSecondNs, 20 * kSecondNs}));  // 22 s - 2 s
  EXPECT_EQ(run.wall(), Seconds{6});                                  // 13 - 1 - 6
}

}  // namespace
}  // namespace lapcast
