#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/error.h"
#include "core/seconds.h"
#include "stats/distributions.h"
#include "stats/survival.h"

namespace lapcast {

/// Describes the distribution of how long something lasts: a machine until it is interrupted, or
/// the wait for the next one. It has atoms at the observed ends, and an exponential tail beyond all
/// of them.
class LifetimeDistribution {
 public:
  /// Holds one time and the probability of having ended by then.
  struct Atom {
    double time = 0;
    double ended = 0;
  };

  /// Returns the exponential distribution of that mean, for a rate of interruptions 1 / mean.
  /// Returns the reason when the mean is not from 1 ms to 1000 years.
  static Result<LifetimeDistribution> exponential(Seconds mean);
  /// Returns the product-limit estimate (stats/survival.h) of lifetimes in seconds. Beyond the last
  /// observed end its tail is exponential: its mean is the observed time per end, or twice the
  /// observed time if nothing ended. Returns the reason when there are no lifetimes above 0, or one
  /// is negative or not finite.
  static Result<LifetimeDistribution> of(std::span<const Lifetime> lifetimes);

  /// Returns the share that lasts longer than `time`.
  double survival(Seconds time) const;
  Seconds mean() const { return Seconds{mean_}; }
  /// Returns a random lifetime.
  double draw(SeededNumbers& numbers) const;

  std::span<const Atom> atoms() const { return atoms_; }
  double tail_share() const { return tail_share_; }  // that outlasts tail_begin()
  double tail_begin() const { return tail_begin_; }
  double tail_mean() const { return tail_mean_; }  // beyond tail_begin()

 private:
  LifetimeDistribution() = default;
  void finish();  // computes mean_ and guide_

  std::vector<Atom> atoms_;  // ascending in both
  double tail_share_ = 1;
  double tail_begin_ = 0;
  double tail_mean_ = 1;
  double mean_ = 1;
  std::vector<std::uint32_t> guide_;  // first atom for each share of the probability (Chen 1974)
};

}  // namespace lapcast
