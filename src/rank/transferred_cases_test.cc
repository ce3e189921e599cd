#include "rank/transferred_cases.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace lapcast {
namespace {

const AcceleratorSpec* named_card(const char* name) {
  return AcceleratorTable::shipped().named(name);
}

OwnProgram::Lap lap_on(const char* name, double seconds) {
  return {named_card(name), {}, std::log(seconds), 0.01};
}

/// Returns the median and the spread (2.5 % to 97.5 %) of the logarithm of the first kind's ratio.
Interval<double> first_ratio(const TransferredCases& cases, std::size_t kinds) {
  std::vector<double> values;
  for (std::size_t s = 0; s < kTransferCases; ++s) values.push_back(cases.log_ratio[s * kinds]);
  std::ranges::sort(values);
  return {values[12], values[250], values[487]};
}

TransferredCases cases_on(const MachineKind& kind, const HomeMeasurement& home) {
  return transferred_cases({&kind, 1}, home, AcceleratorTable::shipped(),
                           read_machine_factors(machine_factors_csv()));
}

/// Returns a program with laps at two batches on a T4.
HomeMeasurement on_t4() {
  HomeMeasurement home;
  home.accelerator = named_card("T4");
  home.laps = {{64, 1.0, {}}, {256, 3.95, {}}};
  home.laps_of_training = {Seconds{3500}, Seconds{3600}, Seconds{3700}};
  return home;
}

TEST(TransferredCasesTest, OwnProgramsMoveAndNarrowAMachineThatTheyRanOn) {
  const MachineKind v100{named_card("V100_SXM2")};
  HomeMeasurement home = on_t4();
  const Interval<double> before = first_ratio(cases_on(v100, home), 1);
  // Three others took 1.2 times as long on the V100 as on the T4; the table has it 2.5 times as
  // fast.
  for (int i = 0; i < 3; ++i)
    home.own_programs.push_back({{lap_on("T4", 1 + i), lap_on("V100_SXM2", 1.2 * (1 + i))}});
  const TransferredCases cases = cases_on(v100, home);
  const Interval<double> after = first_ratio(cases, 1);
  EXPECT_GT(after.mid, before.mid + 0.1);
  EXPECT_LT(after.mid, std::log(1.2));  // the program has its own part
  EXPECT_LT(after.high - after.low, before.high - before.low);
  EXPECT_EQ(cases.own_programs, 3U);
  EXPECT_EQ(cases.own_machines, 2U);
}

TEST(TransferredCasesTest, AProgramOnOneMachineTellsNoRatio) {
  const MachineKind v100{named_card("V100_SXM2")};
  HomeMeasurement home = on_t4();
  const TransferredCases before = cases_on(v100, home);
  home.own_programs = {{{lap_on("T4", 1), lap_on("T4", 3)}}, {{lap_on("V100_SXM2", 1)}}};
  const TransferredCases after = cases_on(v100, home);
  EXPECT_EQ(after.log_ratio, before.log_ratio);
  EXPECT_EQ(after.own_programs, 0U);
}

TEST(TransferredCasesTest, OwnProgramsTellOfMachinesWithoutAnAccelerator) {
  const CpuMachine here{"here", 2, {}, 3, "AVX2"}, big{"big", 8, {}, 3, "AVX2"};
  HomeMeasurement home;
  home.cpu = here;
  home.laps = {{64, 1.0, {}}};
  home.laps_of_training = {Seconds{3500}, Seconds{3600}, Seconds{3700}};
  const MachineKind kind{.cpu = big};
  const Interval<double> before = first_ratio(cases_on(kind, home), 1);
  EXPECT_NEAR(before.mid, -0.5 * std::log(4), 0.05);
  for (int i = 0; i < 3; ++i)
    home.own_programs.push_back({{{nullptr, here, 0, 0.01}, {nullptr, big, 0, 0.01}}});
  const TransferredCases cases = cases_on(kind, home);
  const Interval<double> after = first_ratio(cases, 1);
  EXPECT_GT(after.mid, before.mid + 0.1);  // no faster on eight CPUs, they say
  EXPECT_LT(after.high - after.low, before.high - before.low);
  EXPECT_EQ(cases.own_programs, 3U);
  EXPECT_EQ(cases.own_machines, 2U);
}

}  // namespace
}  // namespace lapcast
