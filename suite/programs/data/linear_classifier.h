#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>

namespace lapcast::workloads {

/// Trains softmax regression by gradient descent: one linear map from bytes to classes. The tests
/// of the generators use it, because a set that it can learn is too easy for a network.
template <size_t kInputs, size_t kClasses>
class LinearClassifier {
 public:
  /// Makes one pass in batches of one, in the order of the samples. Each sample has kInputs bytes.
  void train(std::span<const uint8_t> samples, std::span<const uint8_t> labels,
             float learning_rate) {
    for (size_t i = 0; i < labels.size(); ++i) {
      const Weights x = input(samples, i);
      std::array<float, kClasses> p = logits(x);
      const float top = *std::max_element(p.begin(), p.end());
      float sum = 0;
      for (float& v : p) sum += v = std::exp(v - top);
      for (size_t k = 0; k < p.size(); ++k) {
        const float wrong = p[k] / sum - (labels[i] == k ? 1.0f : 0.0f);
        for (size_t j = 0; j < x.size(); ++j) weights_[k][j] -= learning_rate * wrong * x[j];
      }
    }
  }

  /// Returns the share of samples that it classifies correctly.
  double accuracy(std::span<const uint8_t> samples, std::span<const uint8_t> labels) const {
    int64_t right = 0;
    for (size_t i = 0; i < labels.size(); ++i) {
      const std::array<float, kClasses> p = logits(input(samples, i));
      right += std::max_element(p.begin(), p.end()) - p.begin() == labels[i];
    }
    return static_cast<double>(right) / static_cast<double>(labels.size());
  }

 private:
  using Weights = std::array<float, kInputs + 1>;  // the last is the bias

  static Weights input(std::span<const uint8_t> samples, size_t i) {
    Weights x{};
    const uint8_t* bytes = samples.data() + i * kInputs;
    for (size_t j = 0; j < kInputs; ++j) x[j] = static_cast<float>(bytes[j]) / 255;
    x[kInputs] = 1;
    return x;
  }

  std::array<float, kClasses> logits(const Weights& x) const {
    std::array<float, kClasses> out{};
    for (size_t k = 0; k < out.size(); ++k) {
      out[k] = std::inner_product(x.begin(), x.end(), weights_[k].begin(), 0.0f);
    }
    return out;
  }

  std::array<Weights, kClasses> weights_{};
};

}  // namespace lapcast::workloads
