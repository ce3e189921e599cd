#include "cli/run_options.h"

#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <string>

namespace lapcast {
namespace {

ProbeLimits limits_of(const std::string& line) {
  CLI::App command;
  ProbeOptions options;
  options.add_limits_to(command);
  options.add_probe_epochs_to(command);
  command.parse(line);
  return options.request({}).limits;
}

TEST(ProbeOptions, ABudgetThatIsTheDefaultIsGivenAllTheSame) {
  EXPECT_TRUE(limits_of("--whole").to_the_end);
  for (const char* budget : {"60s", "60", "1m", "5s"})
    EXPECT_FALSE(limits_of(std::string("--whole --budget ") + budget).to_the_end) << budget;
  EXPECT_FALSE(limits_of("--probe-epochs 2").epochs->within_budget);
  EXPECT_TRUE(limits_of("--probe-epochs 2 --budget 60s").epochs->within_budget);
  EXPECT_EQ(limits_of("").budget, Seconds{60});
}

TEST(MachineOptions, AnyOptionIsGivenThatSaysTheDefault) {
  CLI::App command;
  MachineOptions options;
  options.add_to(command);
  EXPECT_FALSE(options.any_given());
  command.parse(std::string("--machine ") + kThisMachine);
  EXPECT_TRUE(options.any_given());
}

}  // namespace
}  // namespace lapcast
