#include "commands/probe/tune_report.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <iterator>

namespace lapcast {
namespace {

using ::testing::ElementsAre;

/// Returns the row of settings that ran: 3 s of 4 s CPU time in the kernel, 800 faults in 2 s.
TuneRow row(const std::string& settings, RaceState state) {
  TuneRow row;
  row.settings = settings;
  row.race.standing.state = state;
  Run& run = row.race.run.emplace();
  run.started_ns = 0;
  run.ended_ns = 2'000'000'000;
  run.usage.user = Seconds{1};
  run.usage.system = Seconds{3};
  run.usage.minor_faults = 800;
  return row;
}

std::vector<std::string> states_in(const Table& table) {
  const auto column = std::ranges::find(table.columns, "state", &Column::key);
  const auto index = std::distance(table.columns.begin(), column);
  std::vector<std::string> states;
  for (const std::vector<Cell>& cells : table.rows)
    states.push_back(std::get<std::string>(cells[static_cast<std::size_t>(index)]));
  return states;
}

TEST(TuneTables, ASettingThatTheRaceStoppedIsOut) {
  const std::vector<TuneRow> rows{row("", RaceState::measured), row("threads=1", RaceState::out),
                                  row("wait=active", RaceState::failed)};
  const TuneVerdict verdict;
  const Table table = tune_tables({.rows = rows, .verdict = verdict}).front();
  EXPECT_THAT(states_in(table), ElementsAre("measured", "out", "failed"));
  EXPECT_THAT(table.answer,
              ElementsAre("no setting is surely faster than the default",
                          "default  75 % of the CPU time in the kernel, 400 page faults a second"));
}

TEST(TuneTables, AMachineOfAFleetFileIsNamed) {
  const std::vector<TuneRow> rows{row("", RaceState::measured)};
  TuneVerdict verdict;
  const auto answer = [&] {
    return tune_tables({.rows = rows, .verdict = verdict, .machine = "gpu-box"}).front().answer[0];
  };
  EXPECT_EQ(answer(), "no setting is surely faster than the default on gpu-box");
  verdict.chosen = {{"wait", "passive", {}}};
  verdict.ratio = {0.4, 0.5, 0.6};
  verdict.pairs = 3;
  EXPECT_EQ(answer(),
            "TUNED  wait=passive on gpu-box: 0.50x (0.40-0.60) the default's time, by 3 pairs of "
            "runs in turn");
}

}  // namespace
}  // namespace lapcast
