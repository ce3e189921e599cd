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
  std::optional<Run> run;  // the run that it is judged by; absent = it was never started
};

/// Names the cheapest or the fastest of a group, by the forecasts that the race ended with.
struct RacePick {
  RaceGoal measure = RaceGoal::cost;  // cost = the cheapest, time = the fastest
  std::string group;
  std::size_t row = 0;     // index into the rows
  Interval<Seconds> time;  // to the result, boot included; 95 %
  Interval<Money> cost;
  double chance_wrong = 0;     // probability that another one is better, by their intervals
  double expected_regret = 0;  // Ranking::expected_regret
  /// Counts the candidates of the group that were not started, failed or have no bill.
  std::size_t not_known = 0;
};

/// Returns the cheapest, the fastest, or both of each group, as the goal says. assessments[i] is
/// that of rows[i].run; where there is no run, it is not read. Groups in which nothing is forecast
/// under a price have no pick. Where no row has a price, the fastest are picked, whatever the goal
/// is.
std::vector<RacePick> picks_of(std::span<const RaceRow> rows,
                               std::span<const Assessment> assessments, RaceGoal goal);

/// Returns the probability of each row of being the fastest of all, whatever its group and its
/// price; 0 for a row of which nothing is forecast. They sum to 1 unless all are 0.
std::vector<double> chances_of_fastest(std::span<const RaceRow> rows,
                                       std::span<const Assessment> assessments);

/// Holds what a way of searching takes: the sum over its runs.
struct Expense {
  Seconds time{0};
  Money cost;  // of the runs that have a price and can be billed under it
};

/// Says how a sweep probes every candidate.
struct PlainProbes {
  double precision = 0.02;  // of the stopping rule
  Seconds budget{60};       // of a whole probe; 0 = no limit
  int rounds = 3;           // of a program that can be suspended, on a machine that others share
};

/// Returns how long a plain probe of the program takes in so many rounds, estimated from its laps
/// so far: until the stopping rule has enough, then its later rounds; at most the budget, and at
/// least `ran`, the time that it has run already.
Seconds plain_probe_time(const LapProfile& profile, Seconds ran, const PlainProbes& probes);

/// Returns what plain probes of all started rows cost. One without laps takes what its run took.
Expense cost_of_plain_probes(std::span<const RaceRow> rows, std::span<const Assessment> assessments,
                             const PlainProbes& probes);
/// Returns what running all started rows to their end costs, by their forecasts. A row without a
/// forecast costs what its run took.
Expense cost_of_everything(std::span<const RaceRow> rows, std::span<const Assessment> assessments);
/// Returns how long the starts of all runs took together, until their first laps.
Seconds time_to_first_laps(std::span<const Assessment> assessments);
/// Returns what these runs cost, by their wall times and RunContext::price.
Expense cost_of_runs(std::span<const Run> runs);

}  // namespace lapcast
