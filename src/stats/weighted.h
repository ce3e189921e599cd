#pragma once

#include <span>
#include <vector>

namespace lapcast {

/// Holds values of which some count more than others.
class WeightedValues {
 public:
  /// Adds a value with weight >= 0; a value of weight 0 is left out.
  void add(double value, double weight);
  /// Returns the sum of the weights.
  double weight() const { return weight_; }
  /// Returns the smallest value at which at least the share p of the weight is reached, 0 <= p <=
  /// 1; kUnknown without values. Sorts: the first call after an add() takes n log n.
  double quantile(double p);

 private:
  struct Entry {
    double value = 0;
    double weight = 0;
  };
  std::vector<Entry> entries_;
  double weight_ = 0;
  bool sorted_ = true;
};

}  // namespace lapcast
