#include "choose/queue_wait.h"

#include <gtest/gtest.h>

#include <vector>

namespace lapcast {
namespace {

lapcast::Run waited(const char* sweep, const char* machine, double seconds) {
  static int runs = 0;
  lapcast::Run run;
  run.context.id = "run" + std::to_string(++runs);
  run.context.sweep = sweep;
  run.context.machine_type.name = machine;
  run.context.place = "slurm gpu";
  run.preparation = {{"queue", Seconds{seconds}, 0}, {"send program", Seconds{100}, 0}};
  return run;
}

/// 0 where nothing is known.
Seconds queue_wait(const std::vector<lapcast::Run>& runs, const char* machine) {
  return queue_waits(runs)[machine];
}

TEST(QueueWait, JobsOfOneSweepWaitForEachOtherToo) {
  const std::vector<lapcast::Run> runs{waited("s1", "m", 70), waited("s1", "m", 10),
                                       waited("s2", "m", 30), waited("s2", "other", 1)};
  EXPECT_EQ(queue_wait(runs, "m"), Seconds{20});
  EXPECT_EQ(queue_wait(runs, "other"), Seconds{1});
}

TEST(QueueWait, ProbesOfNoSweepCountEach) {
  const std::vector<lapcast::Run> runs{waited("", "m", 4), waited("", "m", 8)};
  EXPECT_EQ(queue_wait(runs, "m"), Seconds{6});
}

TEST(QueueWait, NoneWithoutAQueue) {
  lapcast::Run here = waited("s", "m", 9);
  here.context.place.clear();
  EXPECT_EQ(queue_wait({}, "m"), Seconds{0});
  EXPECT_EQ(queue_wait({here}, "m"), Seconds{0});
}

}  // namespace
}  // namespace lapcast
