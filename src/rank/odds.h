#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "rank/choice.h"
#include "rank/preferences.h"

namespace lapcast {

/// Identifies what is fast or slow together: the candidates of one run, or those of one machine
/// with known moments. A candidate without a run is independent.
using LuckKey = std::tuple<bool, std::string_view, const Candidate*>;
/// Returns the key of a choice, which points into its candidate.
LuckKey luck_of(const Choice& choice);

/// Fills in p_cheapest and p_fastest of all choices and returns the expected regret of the first
/// one by the preferences (expected_regret()); 0 if there are no choices or they are ranked by
/// energy or CO2. The choices are in rank order. The choices of one run are fast or slow together;
/// runs are independent of each other unless their cases come from one machine. On spot machines
/// the interruptions of each choice are independent.
double fill_in_odds(std::vector<Choice>& chosen, const Preferences& preferences);

/// Holds, for each case of a run, the smallest value (cost, time or score) of any choice of the
/// run, and the number of that choice. Choices are numbered over all runs; among equal values the
/// lower number wins.
struct RunCases {
  std::vector<double> best;
  std::vector<std::uint32_t> winner;
};

/// Returns the probability of each of `choices` choices that it has the smallest value of all. They
/// sum to 1 unless there is no run.
std::vector<double> chances_of_best(std::span<const RunCases> runs, std::size_t choices);

/// Returns E[(pick - best) / best], where pick[k] is the pick's value in case k of runs[own], and
/// best is the smallest value of all runs.
double expected_regret(std::span<const RunCases> runs, std::size_t own,
                       std::span<const double> pick);

/// Says how much a pick lost against the best: (pick - best) / best.
struct Regret {
  double relative = 0;
  std::size_t best = 0;                // index of the best known one; the pick's own if it is equal
  std::vector<std::size_t> tied = {};  // the others that are as good as the best
  bool lower_bound = false;  // some real values are not known: the best may be even better
};

/// Returns the regret of candidate number `pick` from the real costs or times of all candidates;
/// those without a full run are empty. Returns the reason if the pick's own is not known, or the
/// best is 0 and the pick's is not.
Result<Regret> regret_of(std::size_t pick, std::span<const std::optional<double>> real);

/// Returns (baseline - cost) / baseline, which is negative if the cost is above the baseline. With
/// the cost of running everything to its end as baseline and that of the probes as cost, it is the
/// saving of the search. Returns the reason if the baseline is not above 0.
Result<double> saving(Money baseline, Money cost);

}  // namespace lapcast
