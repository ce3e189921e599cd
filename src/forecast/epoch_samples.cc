#include "forecast/epoch_samples.h"

#include <algorithm>

namespace lapcast {

void EpochSamples::add(double epochs, double weight) {
  if (!(weight > 0)) return;
  samples_.push_back({epochs, weight});
  weight_ += weight;
  sorted_ = false;
}

void EpochSamples::add(const EpochSamples& other, double weight) {
  for (const Sample& sample : other.samples_) add(sample.epochs, sample.weight * weight);
}

void EpochSamples::sort() const {
  if (sorted_) return;
  const auto sooner = [](const Sample& a, const Sample& b) { return a.epochs < b.epochs; };
  std::stable_sort(samples_.begin(), samples_.end(), sooner);
  sorted_ = true;
}

double EpochSamples::quantile(double p) const {
  sort();
  double sum = 0;
  for (const Sample& sample : samples_) {
    sum += sample.weight;
    if (sum >= p * weight_) return sample.epochs;
  }
  return kNever;
}

double EpochSamples::chance_within(double epochs) const {
  double sum = 0;
  for (const Sample& sample : samples_)
    if (sample.epochs <= epochs) sum += sample.weight;
  return sum / weight_;
}

}  // namespace lapcast
