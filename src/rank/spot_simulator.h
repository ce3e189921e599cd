#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "price/offer.h"
#include "rank/candidate.h"
#include "rank/choice.h"
#include "rank/spot_training.h"

namespace lapcast {

/// Simulates trainings of candidates on spot machines. For one candidate, offers that differ only
/// in their price are simulated once.
class SpotSimulator {
 public:
  explicit SpotSimulator(SpotAssumptions assumptions) : assumptions_(std::move(assumptions)) {}

  /// Returns which data are missing to simulate a candidate on spot machines of the offer, and how
  /// to provide them. Returns nullopt if nothing is missing.
  std::optional<Reason> what_is_missing(const Candidate& candidate, const Offer& offer) const;

  /// Simulates the training of a candidate with a known time on machines of an offer with the terms
  /// Spot, for which what_is_missing() returns nullopt. Every machine boots and is set up as the
  /// offer and the candidate say; those after the first one restart the program. With `stretch` all
  /// machines last that many times as long. The random numbers are the same for all candidates,
  /// offers and stretches, so that differences are not chance. Returns the reason if the training
  /// may never finish, or a time is out of range. The candidate must outlive the simulator.
  Result<std::shared_ptr<const SpotTraining>> training(const Candidate& candidate,
                                                       const Offer& offer, double stretch = 1);

 private:
  using Key = std::tuple<const Candidate*, double, double, std::int64_t>;
  Result<std::shared_ptr<const SpotTraining>> simulate(const Candidate& candidate,
                                                       const Offer& offer, double stretch) const;

  SpotAssumptions assumptions_;
  std::map<Key, Result<std::shared_ptr<const SpotTraining>>> made_;
};

/// Returns the cases of a choice's simulated training with random numbers that differ from those of
/// every other candidate and offer. Its `spot` must be set.
SpotCases cases_of_own_luck(const Choice& choice);

}  // namespace lapcast
