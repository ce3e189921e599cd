#include "commands/demo/demo_training.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace lapcast {
namespace {

TEST(DemoTraining, LearnsAndReportsLaps) {
  std::vector<std::string> events;
  const double accuracy = run_demo_training({.batch = 128, .epochs = 1}, [&](const auto& words) {
    events.push_back(words.front() + (words.size() == 2 ? " " + words[1] : ""));
  });
  EXPECT_GT(accuracy, 0.5);  // one in eight would be right by chance
  EXPECT_EQ(std::ranges::count(events, "iteration 128"), 96);
  std::erase(events, "iteration 128");
  EXPECT_THAT(events, testing::ElementsAre("plan", "epoch-begin 1", "validation-begin",
                                           "validation-end 512", "metric", "epoch-end 1"));
}

}  // namespace
}  // namespace lapcast
