#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/error.h"
#include "core/interval.h"
#include "core/money.h"
#include "core/result.h"
#include "core/seconds.h"
#include "price/offer.h"
#include "price/quote.h"

namespace lapcast {

/// Training the model in one way: one program, machine type and combination of settings, forecast
/// from one or more runs. What is ranked is every pair of a candidate and an offer for it.
struct Candidate {
  std::string run_id;  // the run that it is forecast from; candidates of one run share its luck,
                       // empty = it stands alone
  std::string machine_type;
  std::string offer;               // wanted offer by name; empty = any of machine_type. When no
                                   // offer has that name, any whose machine type it is
  std::string settings;            // "batch=128"; empty = none
  Result<Interval<Seconds>> time;  // of the whole training, or the reason why there is none
  double wait_s = 0;               // before it can start, never billed: a cluster's queue
  double spread = 0;               // relative standard deviation behind the interval
  double epochs = 0;               // that the time is for; 0 = the plan counts steps
  double fixed_s = 0;              // time = fixed_s + per_epoch_s * epochs, for crossovers;
  double per_epoch_s = 0;          // 0 where not known
  std::optional<double> accuracy;  // known from a run to its end at these settings
};

enum class Objective { cost, time, score };

/// What the user wants.
struct Preferences {
  Objective by = Objective::cost;
  double weight = 0.5;  // of cost in the score, 0..1; the rest is time's
  std::optional<Seconds> deadline;
  std::optional<Money> max_cost;
  std::optional<double> min_accuracy;
};

/// A candidate under one offer that meets the wish.
struct Choice {
  std::size_t candidate = 0;  // index into the candidates given
  std::size_t offer = 0;      // index into the offers given
  Quote quote;       // its time to the result holds the wait
  double wait_s = 0;  // of the candidate
  double relative_time = 1;  // divided by the smallest of the column [M]: 1.00 marks the best
  double relative_cost = 1;
  double score = 1;              // weight * relative_cost + (1 - weight) * relative_time
  bool on_pareto_front = false;  // no other is as cheap and as fast, and one of both more so
  double p_cheapest = 0;  // probability of being the cheapest, the fastest: sum to 1 over chosen;
  double p_fastest = 0;   // of equals the first in order counts
};

/// A candidate (with an offer, where one was found) that is left out, and why.
struct Excluded {
  std::optional<std::size_t> candidate;
  std::optional<std::size_t> offer;
  Reason reason;  // "no laps: ...", "no price for machine type 'x'", "4 h 10 min is past the ..."
};

/// From this number of epochs on, another candidate wins.
struct Crossover {
  double epochs = 0;
  std::size_t choice_before = 0;  // indices into Ranking::chosen
  std::size_t choice_after = 0;
};

struct Ranking {
  Objective by = Objective::cost;
  std::vector<Choice> chosen;  // best first; ties in the order of cost, time, name
  std::vector<Excluded> excluded;
  double expected_regret = 0;  // of the first choice, relative to the best: 0.01 = 1 %
  std::vector<Crossover>
      crossovers;  // ascending in epochs, from 1 to 10 times the first choice's plan
};

/// Ranks candidates under offers. Every pair of a candidate and an offer that matches it ends in
/// exactly one of chosen and excluded; candidates without an offer and offers without a candidate
/// are excluded too, each with its reason. Limits (deadline, max_cost) hold for the mids. The same
/// inputs give the same ranking. Throws Error (usage) when the weight is not between 0 and 1.
Ranking rank(const std::vector<Candidate>& candidates, const std::vector<Offer>& offers,
             const Preferences& preferences);

}  // namespace lapcast
