#include "lap/slow_rank.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "lap/lap_log_reader.h"

namespace lapcast {
namespace {

using testing::Contains;
using testing::HasSubstr;

/// Returns the log of a rank whose laps take so many milliseconds, each third one `wobble_ms` more.
LapLog rank_log(int rank, int lap_ms, int wobble_ms = 3, int laps = 50) {
  LapLog log;
  log.hello = Hello{};
  log.hello->rank = rank;
  log.hello->host = rank < 2 ? "a" : "b";
  std::int64_t now = 0;
  for (int i = 0; i < laps; ++i) {
    Lap lap;
    lap.begin_ns = now;
    now += 1'000'000LL * (lap_ms + (i % 3 == 0 ? wobble_ms : 0));
    lap.end_ns = now;
    lap.finished = true;
    log.laps.push_back(lap);
  }
  return log;
}

std::string described(const std::vector<LapLog>& logs) {
  std::vector<const LapLog*> ranks;
  for (const LapLog& log : logs) ranks.push_back(&log);
  return describe_slow_rank(ranks);
}

TEST(SlowRank, IsNamedWithItsHostAndFigures) {
  EXPECT_EQ(described({rank_log(0, 100), rank_log(1, 101), rank_log(2, 112), rank_log(3, 100)}),
            "rank 2 on b is slower than the 3 others: its laps take 112 ms, 12 % more than 100 ms; "
            "where ranks wait for each other, all take its time");
  EXPECT_THAT(described({rank_log(0, 150), rank_log(1, 100)}),
              HasSubstr("rank 0 is slower than the other: its laps take 150 ms, 50 % more than"));
}

TEST(SlowRank, StandsOutOfTheNoise) {
  EXPECT_EQ(described({rank_log(0, 100), rank_log(1, 102)}), "");  // 2 %
  // The others differ as much among themselves.
  EXPECT_EQ(described({rank_log(0, 100), rank_log(1, 108), rank_log(2, 116)}), "");
  // Ten laps that scatter by a third say little of 5 %.
  std::vector<LapLog> noisy{rank_log(0, 100, 0, 12), rank_log(1, 105, 0, 12)};
  for (LapLog& log : noisy)
    for (std::size_t i = 0; i < log.laps.size(); ++i)
      log.laps[i].end_ns = log.laps[i].begin_ns + (log.laps[i].end_ns - log.laps[i].begin_ns) *
                                                      static_cast<std::int64_t>(70 + 5 * i) / 100;
  EXPECT_EQ(described(noisy), "");
}

TEST(SlowRank, NeedsTwoRanksWithTenLaps) {
  EXPECT_EQ(described({}), "");
  EXPECT_EQ(described({rank_log(0, 100)}), "");
  EXPECT_EQ(described({rank_log(0, 100), rank_log(1, 200, 0, 9)}), "");
}

TEST(SlowRank, IsANoteOfTheMergedLog) {
  const std::vector<LapLog> logs{rank_log(0, 100), rank_log(1, 130)};
  EXPECT_THAT(merge_ranks(logs).notes, Contains(HasSubstr("rank 1 is slower than the other")));
}

}  // namespace
}  // namespace lapcast
