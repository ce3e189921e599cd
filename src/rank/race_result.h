#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "history/assessment.h"
#include "rank/race.h"

namespace lapcast {

/// Describes one candidate at the end of a race.
struct RaceRow {
  RaceCandidate candidate;
  RaceStanding standing;
  std::optional<Run> run;  // the run by which it is judged; absent = never started
};

/// Names the cheapest or the fastest of a group, by the forecasts at the end of the race.
struct RacePick {
  RaceGoal measure = RaceGoal::cost;  // cost = the cheapest, time = the fastest
  std::string group;
  std::size_t row = 0;     // index into the rows
  Interval<Seconds> time;  // to the result, including boot; 95 %
  Interval<Money> cost;
  double chance_wrong = 0;     // probability that another one is better, by their intervals
  double expected_regret = 0;  // Ranking::expected_regret
  /// Counts the candidates of the group that were not started, failed or have no bill.
  std::size_t not_known = 0;
};

/// Returns whether a row has a price.
bool any_is_priced(std::span<const RaceRow> rows);

/// Returns the cheapest, the fastest, or both of each group, according to the goal. assessments[i]
/// belongs to rows[i].run; without a run it is not read. Groups in which nothing is forecast under
/// a price have no pick. If no row has a price, the fastest are picked, whatever the goal is.
std::vector<RacePick> picks_of(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments, RaceGoal goal);

/// Returns the probability of each row of being the fastest of all, in any group and at any price;
/// 0 for a row without a forecast. They sum to 1 unless all are 0.
std::vector<double> chances_of_fastest(std::span<const RaceRow> rows,
                                       std::span<const Assessment> assessments);

/// Holds the total expense of a way of searching, over all its runs.
struct Expense {
  Seconds time{0};
  Money cost;  // of the runs with a price under which they can be billed
};

/// Says how a sweep probes every candidate.
struct PlainProbes {
  double precision = 0.02;  // of the stopping rule
  Seconds budget{60};       // of a whole probe; 0 = no limit
  int rounds = 3;           // of a program that can be suspended, on a machine that others share
};

/// Estimates how long a plain probe of the program takes in the given rounds, from its laps so far:
/// until the stopping rule has enough, then its later rounds; at most the budget, and at least
/// `ran`, the time that it has run already.
Seconds plain_probe_time(const LapProfile& profile, Seconds ran, const PlainProbes& probes);

/// Returns the expense of plain probes of all started rows. A row without laps counts as its run.
Expense cost_of_plain_probes(std::span<const RaceRow> rows, std::span<const Assessment> assessments,
                             const PlainProbes& probes);
/// Returns the expense of running all started rows to their end, by their forecasts. A row without
/// a forecast counts as its run.
Expense cost_of_everything(std::span<const RaceRow> rows, std::span<const Assessment> assessments);
/// Returns the total time of all runs until their first laps.
Seconds time_to_first_laps(std::span<const Assessment> assessments);
/// Returns the expense of these runs, by their wall times and RunContext::price.
Expense cost_of_runs(std::span<const Run> runs);

}  // namespace lapcast
