#include "query/before_training.h"

#include <gtest/gtest.h>

namespace lapcast {
namespace {

Run with_steps(std::vector<PreparationStep> steps) {
  Run run;
  run.preparation = std::move(steps);
  return run;
}

using Runs = std::vector<Run>;  // within a test, Run is a function of it

BeforeTraining of(const Runs& runs, std::int64_t data_bytes) {
  std::vector<const Run*> pointers;
  for (const Run& run : runs) pointers.push_back(&run);
  return measured_before_training(pointers, data_bytes);
}

// The second run sends what changed only: 5 of 400 bytes. The program takes 1 s, the data 20 s.
TEST(BeforeTraining, TheRunThatSentTheMostCounts) {
  const Runs runs{with_steps({{"send program", Seconds{1}, 10},
                              {"send data", Seconds{12}, 300},
                              {"send data", Seconds{8}, 100},
                              {"set-up", Seconds{30}, 0}}),
                  with_steps({{"send program", Seconds{0.5}, 1},
                              {"send data", Seconds{3}, 5},
                              {"queue", Seconds{500}, 0}})};
  EXPECT_EQ(of(runs, 0).preparation, Seconds{30});
  EXPECT_EQ(of(runs, 0).data_in, Seconds{21});
  EXPECT_EQ(of(runs, 4000).data_in, Seconds{201});  // ten times the data
}

TEST(BeforeTraining, TheLongestBootOfAMachineCounts) {
  Runs runs{with_steps({{kBootStep, Seconds{40}, 0}}), with_steps({{kBootStep, Seconds{50}, 0}}),
            with_steps({{"set-up", Seconds{2}, 0}})};
  runs[0].context.machine_type.name = runs[1].context.machine_type.name = "rented";
  const auto boots = measured_boots(runs);
  ASSERT_EQ(boots.size(), 1u);
  EXPECT_EQ(boots.at("rented").boot, Seconds{50});
  EXPECT_EQ(of(runs, 0).boot, Seconds{50});
}

TEST(BeforeTraining, NothingSentIsNothing) {
  EXPECT_EQ(of({}, 1000), BeforeTraining{});
  EXPECT_EQ(of({with_steps({{"set-up", Seconds{2}, 0}})}, 1000).data_in, Seconds{0});
}

}  // namespace
}  // namespace lapcast
