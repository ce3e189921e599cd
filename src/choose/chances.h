#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>
#include "core/interval.h"
#include "core/seconds.h"

namespace lapcast {

/// One run in kCases equally likely cases: the smallest value that any of its contenders has in
/// that case, and which contender that is. Contenders are numbered over all runs; of equal values
/// the lower number wins. Runs are independent of each other, contenders of one run move together.
struct RunCases {
  std::vector<double> best;
  std::vector<std::uint32_t> winner;
};

/// For each of `contenders` contenders the probability that it has the smallest value of all. They
/// sum to 1 unless there is no run.
std::vector<double> chances_of_best(std::span<const RunCases> runs, std::size_t contenders);

/// E[(pick - best) / best] where pick[k] is the pick's value in case k of run `own`, and best the
/// smallest value of all runs.
double expected_regret(std::span<const RunCases> runs, std::size_t own,
                       std::span<const double> pick);

/// The possible outcomes of one run are represented by this many equally likely cases.
inline constexpr std::size_t kCases = 1024;

/// The training time in each case, ascending: the (k + 0.5) / kCases quantiles of the distribution
/// whose 2.5, 50 and 97.5 % quantiles are low, mid and high. It is lognormal on either side of mid;
/// normal, cut at 0, when low is 0.
std::vector<double> time_cases(const Interval<Seconds>& time);

}  // namespace lapcast
