#include "core/widening_schedule.h"

#include <gtest/gtest.h>

#include <vector>

namespace lapcast {
namespace {

// It is due after 10 s, then at least 10 s later, then a quarter later.
TEST(WideningSchedule, IsDueMoreAndMoreRarely) {
  WideningSchedule schedule;
  std::vector<int> due;
  for (int second = 1; second <= 100; ++second)
    if (schedule.is_due(Seconds{static_cast<double>(second)})) due.push_back(second);
  EXPECT_EQ(due, (std::vector<int>{10, 20, 30, 40, 50, 63, 79, 99}));
}

}  // namespace
}  // namespace lapcast
