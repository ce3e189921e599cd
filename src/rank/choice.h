#pragma once

#include <memory>
#include <optional>

#include "core/error.h"
#include "energy/training_energy.h"
#include "price/offer.h"
#include "price/quote.h"
#include "rank/candidate.h"
#include "rank/spot_training.h"

namespace lapcast {

/// Describes one row of a ranking: a candidate under one offer that meets the preferences. Rows
/// share their candidates and offers, and may outlive the ranking that they come from.
struct Choice {
  std::shared_ptr<const Candidate> candidate;
  std::shared_ptr<const Offer> offer;
  Quote quote;               // its time includes the candidate's wait; see `spot`
  double relative_time = 1;  // time / smallest time of the ranking
  double relative_cost = 1;  // cost / smallest cost of the ranking
  double score = 1;          // weight * relative_cost + (1 - weight) * relative_time
  /// True if no other choice is at least as cheap and at least as fast, and better in one of the
  /// two.
  bool on_pareto_front = false;
  /// Gives the probability of being the cheapest, which sums to 1 over all choices; among equally
  /// cheap ones the first in order of cost, time and rank counts.
  double p_cheapest = 0;
  double p_fastest = 0;  // likewise for being the fastest
  /// Gives the probability of missing the deadline; set if a risk was given, and with `spot`.
  std::optional<double> p_late;
  std::shared_ptr<const TrainingEnergy> energy = nullptr;  // null = not known
  /// True if the energy is known and no other such choice is at least as cheap, as fast and as
  /// frugal, and better in one of the three.
  bool on_energy_front = false;
  /// Holds the effect of interruptions on the training, which is included in the quote and the
  /// probabilities: the mid of the quote's cost is the mean over random interruptions, that of its
  /// time the median, both for the mid of the training time. Null on machines that are not
  /// interrupted, and if Ranking::spot_unknown says why interruptions do not count.
  std::shared_ptr<const SpotTraining> spot = nullptr;
};

/// Describes an excluded candidate, offer, or pair of both, and why.
struct Excluded {
  std::shared_ptr<const Candidate> candidate;  // null = no candidate fits this offer
  std::shared_ptr<const Offer> offer;          // null = no offer fits this candidate
  Reason reason;                               // "no price for machine type 'x'"
};

/// Says that another choice is the first of the ranking from this number of epochs on. A side
/// without a candidate means that nothing meets the limits there.
struct Crossover {
  double epochs = 0;  // of the first choice; other trainings are scaled in proportion
  std::shared_ptr<const Candidate> before;
  std::shared_ptr<const Candidate> after;
  std::shared_ptr<const Offer> offer_before = nullptr;
  std::shared_ptr<const Offer> offer_after = nullptr;
};

}  // namespace lapcast
