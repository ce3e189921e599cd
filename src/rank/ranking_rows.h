#pragma once

#include <cstddef>
#include <vector>

#include "core/error.h"
#include "core/money.h"
#include "price/offer.h"
#include "rank/candidate.h"
#include "rank/choice.h"
#include "rank/preferences.h"

namespace lapcast {

/// Says what training every candidate would cost, each under its cheapest offer.
struct TrainingBill {
  Money cost;                  // the sum of the mids of the bills
  std::size_t candidates = 0;  // those with a bill

  void add(Money one) {
    cost = saturating_sum(cost, one);
    ++candidates;
  }
};

/// Holds every pair of a candidate and an offer for it, and everything without a partner, in order
/// of the candidates and then of the offers.
struct RankingRows {
  std::vector<Choice> chosen;  // not ordered or compared yet
  std::vector<Excluded> excluded;
  /// Holds the choices that are excluded only because of the deadline, its risk or the largest
  /// cost, without those whose interruptions were simulated.
  std::vector<Choice> beyond_limits;
  std::vector<Choice> late;          // as Ranking::late
  TrainingBill all_trainings;        // as Ranking::all_trainings
  std::vector<Reason> spot_unknown;  // as Ranking::spot_unknown
};

RankingRows rows_of(std::vector<Candidate> candidates, std::vector<Offer> offers,
                    const Preferences& preferences);

}  // namespace lapcast
