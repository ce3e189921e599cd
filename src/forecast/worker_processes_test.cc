#include "forecast/worker_processes.h"

#include <gmock/gmock.h>

namespace lapcast {
namespace {

using ::testing::HasSubstr;

constexpr std::int64_t kSecond = 1'000'000'000;

/// Returns a log whose only lap ends at 10 s, with samples every second that saw so many workers.
LapLog log_with_workers(const std::vector<std::int64_t>& workers) {
  LapLog log;
  log.laps = {{.begin_ns = 0, .end_ns = 10 * kSecond}};
  for (const std::int64_t count : workers) {
    LoadSample& load = log.loads.emplace_back();
    load.at_ns = std::ssize(log.loads) * kSecond;
    if (count > 0) load.workers = count;
  }
  return log;
}

LapProfile profile_with(Seconds teardown, bool ended) {
  LapProfile profile;
  profile.teardown = Interval<Seconds>::exactly(teardown);
  if (ended) profile.real_total = Seconds{10} + teardown;
  return profile;
}

TEST(WorkerProcesses, AreToldOfAStoppedRunWhoseLastLapTheySaw) {
  std::vector<std::int64_t> workers(11, 10);
  EXPECT_THAT(describe_workers(log_with_workers(workers), profile_with(Seconds{1}, false)),
              HasSubstr("10 worker processes (of a loader) were alive at the last lap"));
  workers[9] = 0;  // at 10 s, the end of the last lap
  EXPECT_EQ(describe_workers(log_with_workers(workers), profile_with(Seconds{1}, false)), "");
  EXPECT_EQ(describe_workers(log_with_workers({}), profile_with(Seconds{1}, false)), "");
}

TEST(WorkerProcesses, OfANewestSampleBeforeTheLastLapCount) {
  EXPECT_THAT(describe_workers(log_with_workers({0, 0, 1}), profile_with(Seconds{1}, false)),
              HasSubstr("1 worker process (of a loader) was alive at the last lap"));
}

// The samples from 11 to 57 s saw them: 47 of the 48 s from the last lap to the end.
TEST(WorkerProcesses, ThatAProgramWaitedForAreTold) {
  std::vector<std::int64_t> workers(57, 10);
  EXPECT_EQ(
      describe_workers(log_with_workers(workers), profile_with(Seconds{48}, true)),
      "10 worker processes lived for 47.0 s after the last lap: the program waits for them at "
      "its end");
  // Those that were gone at 31 s explain less than half of it.
  std::fill(workers.begin() + 30, workers.end(), 0);
  EXPECT_EQ(describe_workers(log_with_workers(workers), profile_with(Seconds{48}, true)), "");
  EXPECT_EQ(describe_workers(log_with_workers(std::vector<std::int64_t>(11, 10)),
                             profile_with(Seconds{1.5}, true)),
            "");
}

}  // namespace
}  // namespace lapcast
