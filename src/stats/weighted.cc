#include "stats/weighted.h"

#include <algorithm>

#include "stats/summary.h"

namespace lapcast {

void WeightedValues::add(double value, double weight) {
  if (!(weight > 0)) return;
  entries_.push_back({value, weight});
  weight_ += weight;
  sorted_ = false;
}

void WeightedValues::add(const WeightedValues& other, double weight) {
  for (const Entry& entry : other.entries_) add(entry.value, entry.weight * weight);
}

double WeightedValues::quantile(double p) const {
  if (entries_.empty()) return kUnknown;
  if (!sorted_) {
    std::stable_sort(entries_.begin(), entries_.end(),
                     [](const Entry& a, const Entry& b) { return a.value < b.value; });
    sorted_ = true;
  }
  const double wanted = p * weight_;
  double reached = 0;
  for (const Entry& entry : entries_) {
    reached += entry.weight;
    if (reached >= wanted) return entry.value;
  }
  return entries_.back().value;
}

double WeightedValues::share_up_to(double value) const {
  double sum = 0;
  for (const Entry& entry : entries_)
    if (entry.value <= value) sum += entry.weight;
  return sum / weight_;
}

}  // namespace lapcast
