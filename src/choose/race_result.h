#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "choose/assessment.h"
#include "choose/race.h"

namespace lapcast {

/// Describes one candidate at the end of a race.
struct RaceRow {
  RaceCandidate candidate;
  RaceStanding standing;
  std::optional<Run> run;  // the run that it is judged by; absent: never started
};

/// Names the cheapest or the fastest of a group, by the forecasts that the race ended with.
struct RacePick {
  RaceGoal measure = RaceGoal::cost;
  std::string group;
  std::size_t row = 0;
  Interval<Seconds> time;  // to the result, boot included; 95 %
  Interval<Money> cost;
  double chance_wrong = 0;     // that another one is better, by the forecasts' intervals
  double expected_regret = 0;  // what the pick then costs or takes beyond the best, relative
  // How many candidates of the group were not started, failed or have no bill.
  std::size_t not_known = 0;
};

/// Returns the cheapest, the fastest, or both of each group, as the goal says; `assessments` are
/// those of the rows' runs. Groups in which nothing is forecast under a price have no pick.
std::vector<RacePick> picks_of(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments, RaceGoal goal);

/// Holds the time and money of a way of searching.
struct Expense {
  Seconds time{0};
  Money cost;  // of what has a price and can be priced
};

/// Returns how long a plain probe of the program takes, as far as its laps so far tell: until the
/// stopping rule has enough, at most the budget (0 = no limit). A probe that has enough took what
/// it took.
Seconds plain_probe_time(const LapProfile& profile, double precision, Seconds budget);

/// Return what plain probes of all rows cost, and what running all of them to their end costs. A
/// row without a forecast costs what its run took.
Expense cost_of_plain_probes(std::span<const RaceRow> rows, std::span<const Assessment> assessments,
                             double precision, Seconds budget);
Expense cost_of_everything(std::span<const RaceRow> rows, std::span<const Assessment> assessments);
/// Returns what these runs cost.
Expense cost_of_runs(std::span<const Run> runs);

}  // namespace lapcast
