#pragma once

#include <span>
#include <vector>

namespace lapcast {

/// Holds values of which some count more than others: a sample, or a distribution. A value may be
/// infinite.
class WeightedValues {
 public:
  /// Adds a value, unless its weight is 0 or less.
  void add(double value, double weight);
  /// Adds the values of another distribution, their weights times `weight`: a mixture.
  void add(const WeightedValues& other, double weight);
  bool empty() const { return entries_.empty(); }
  /// Returns the sum of the weights.
  double weight() const { return weight_; }
  /// Returns the smallest value at which at least the share p of the weight is reached,
  /// 0 <= p <= 1; kUnknown without values. The first call after an add() takes n log n.
  double quantile(double p) const;
  /// Returns the share of the weight that values up to this one have. Needs a weight above 0.
  double share_up_to(double value) const;

 private:
  struct Entry {
    double value = 0;
    double weight = 0;
  };
  mutable std::vector<Entry> entries_;
  double weight_ = 0;
  mutable bool sorted_ = true;
};

}  // namespace lapcast
