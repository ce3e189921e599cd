#pragma once

#include <limits>
#include <optional>
#include <vector>

namespace lapcast {

inline constexpr double kNever = std::numeric_limits<double>::infinity();

/// A distribution of the epochs that a training needs: weighted samples, kNever for a training that
/// does not get there.
class EpochSamples {
 public:
  void add(double epochs, double weight);
  void add(const EpochSamples& other, double weight);  // a mixture: its weights times `weight`
  bool empty() const { return samples_.empty(); }
  double weight() const { return weight_; }

  /// The smallest number of epochs that with probability p or more is enough; kNever where none is.
  /// 0 < p < 1. Needs a weight above 0.
  double quantile(double p) const;
  /// Probability that so many epochs are enough.
  double chance_within(double epochs) const;

 private:
  struct Sample {
    double epochs;
    double weight;
  };
  void sort() const;

  mutable std::vector<Sample> samples_;
  mutable bool sorted_ = false;
  double weight_ = 0;
};

}  // namespace lapcast
