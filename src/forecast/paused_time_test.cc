#include "forecast/paused_time.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

TEST(PausedTime, OverlapsCountOnce) {
  LapLog log;
  log.validations.push_back({.span = {100, 200}});
  log.stages.push_back({.name = "checkpoint", .span = {150, 250}});
  log.stages.push_back({.name = "train", .span = {0, 1000}});  // no pause
  log.validations.push_back({.span = {400, 500}});
  const PausedTime paused(log);
  EXPECT_EQ(paused.within(0, 1000), from_ns(250));
  EXPECT_EQ(paused.within(120, 220), from_ns(100));
  EXPECT_EQ(paused.within(250, 400), from_ns(0));
  EXPECT_EQ(paused.within(450, 300), from_ns(0));
  EXPECT_EQ(PausedTime(LapLog{}).within(0, 1000), from_ns(0));
}

}  // namespace
}  // namespace lapcast
