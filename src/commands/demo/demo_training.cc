#include "commands/demo/demo_training.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <string>
#include <vector>

namespace lapcast {
namespace {

constexpr std::size_t kInputs = 128;
constexpr std::size_t kHidden = 192;
constexpr std::size_t kClasses = 8;
constexpr std::size_t kTraining = 12288;
constexpr std::size_t kValidation = 512;
constexpr float kRate = 1e-3F;

struct Sample {
  std::vector<float> inputs;
  std::size_t label;
};

/// Holds weights and the state of Adam for them.
class Weights {
 public:
  Weights(std::size_t rows, std::size_t columns, std::mt19937& numbers) : columns_(columns) {
    std::normal_distribution<float> start(0, 1 / std::sqrt(static_cast<float>(columns)));
    for (std::size_t i = 0; i < rows * columns; ++i) values_.push_back(start(numbers));
    gradient_.resize(values_.size());
    first_.resize(values_.size());
    second_.resize(values_.size());
  }
  const float* row(std::size_t i) const { return &values_[i * columns_]; }
  float* gradient(std::size_t i) { return &gradient_[i * columns_]; }

  void step(float count) {
    constexpr float kFirst = 0.9F;
    constexpr float kSecond = 0.999F;
    ++steps_;
    const float rate =
        kRate * std::sqrt(1 - std::pow(kSecond, steps_)) / (1 - std::pow(kFirst, steps_));
    for (std::size_t i = 0; i < values_.size(); ++i) {
      const float g = gradient_[i] / count;
      first_[i] = kFirst * first_[i] + (1 - kFirst) * g;
      second_[i] = kSecond * second_[i] + (1 - kSecond) * g * g;
      values_[i] -= rate * first_[i] / (std::sqrt(second_[i]) + 1e-8F);
      gradient_[i] = 0;
    }
  }

 private:
  std::size_t columns_;
  float steps_ = 0;
  std::vector<float> values_, gradient_, first_, second_;
};

/// Implements a network with one hidden layer.
class Network {
 public:
  explicit Network(std::mt19937& numbers)
      : to_hidden_(kHidden, kInputs, numbers), to_classes_(kClasses, kHidden, numbers) {}

  /// Returns the most likely class.
  std::size_t classify(const Sample& sample) {
    forward(sample);
    return static_cast<std::size_t>(std::ranges::max_element(chances_) - chances_.begin());
  }

  /// Adds the gradient of the cross-entropy of a sample.
  void learn(const Sample& sample) {
    forward(sample);
    std::vector<float> back(kHidden);
    for (std::size_t c = 0; c < kClasses; ++c) {
      const float error = chances_[c] - (c == sample.label ? 1.0F : 0.0F);
      const float* const weights = to_classes_.row(c);
      float* const gradient = to_classes_.gradient(c);
      for (std::size_t h = 0; h < kHidden; ++h) {
        gradient[h] += error * hidden_[h];
        back[h] += error * weights[h];
      }
    }
    for (std::size_t h = 0; h < kHidden; ++h) {
      if (hidden_[h] <= 0) continue;
      float* const gradient = to_hidden_.gradient(h);
      for (std::size_t i = 0; i < kInputs; ++i) gradient[i] += back[h] * sample.inputs[i];
    }
  }

  void step(std::size_t samples) {
    to_hidden_.step(static_cast<float>(samples));
    to_classes_.step(static_cast<float>(samples));
  }

 private:
  void forward(const Sample& sample) {
    for (std::size_t h = 0; h < kHidden; ++h)
      hidden_[h] = std::max(0.0F, std::inner_product(sample.inputs.begin(), sample.inputs.end(),
                                                     to_hidden_.row(h), 0.0F));
    for (std::size_t c = 0; c < kClasses; ++c)
      chances_[c] = std::inner_product(hidden_.begin(), hidden_.end(), to_classes_.row(c), 0.0F);
    const float largest = *std::ranges::max_element(chances_);
    float sum = 0;
    for (float& chance : chances_) sum += chance = std::exp(chance - largest);
    for (float& chance : chances_) chance /= sum;
  }

  Weights to_hidden_, to_classes_;
  std::vector<float> hidden_ = std::vector<float>(kHidden);
  std::vector<float> chances_ = std::vector<float>(kClasses);
};

/// Makes samples around the centres of the classes, close enough that some are misclassified.
std::vector<Sample> samples_of(const std::vector<Sample>& centres, std::size_t count,
                               std::mt19937& numbers) {
  std::normal_distribution<float> noise(0, 2);
  std::vector<Sample> samples;
  for (std::size_t i = 0; i < count; ++i) {
    samples.push_back(centres[i % centres.size()]);
    for (float& input : samples.back().inputs) input += noise(numbers);
  }
  return samples;
}

std::vector<Sample> centres_of_classes(std::mt19937& numbers) {
  std::normal_distribution<float> place(0, 0.5F);
  std::vector<Sample> centres;
  for (std::size_t label = 0; label < kClasses; ++label) {
    centres.push_back({{}, label});
    for (std::size_t i = 0; i < kInputs; ++i) centres.back().inputs.push_back(place(numbers));
  }
  return centres;
}

double validate(Network& network, const std::vector<Sample>& samples, const LapReport& report) {
  report({"validation-begin"});
  const auto right = std::ranges::count_if(
      samples, [&](const Sample& sample) { return network.classify(sample) == sample.label; });
  report({"validation-end", std::to_string(samples.size())});
  const double accuracy = static_cast<double>(right) / static_cast<double>(samples.size());
  report({"metric", "val_accuracy", fmt::format("{:.4f}", accuracy)});
  return accuracy;
}

}  // namespace

double run_demo_training(const DemoTraining& training, const LapReport& report) {
  std::mt19937 numbers(1);
  const std::vector<Sample> centres = centres_of_classes(numbers);
  const std::vector<Sample> samples = samples_of(centres, kTraining, numbers);
  const std::vector<Sample> held_back = samples_of(centres, kValidation, numbers);
  Network network(numbers);
  report({"plan", fmt::format("epochs={}", training.epochs),
          fmt::format("batch={}", training.batch), fmt::format("train={}", kTraining),
          fmt::format("validation={}", kValidation)});
  double accuracy = 0;
  for (std::int64_t epoch = 1; epoch <= training.epochs; ++epoch) {
    report({"epoch-begin", std::to_string(epoch)});
    for (std::size_t begin = 0; begin < samples.size(); begin += training.batch) {
      const std::size_t end = std::min(begin + training.batch, samples.size());
      for (std::size_t i = begin; i < end; ++i) network.learn(samples[i]);
      network.step(end - begin);
      report({"iteration", std::to_string(end - begin)});
    }
    accuracy = validate(network, held_back, report);
    report({"epoch-end", std::to_string(epoch)});
  }
  return accuracy;
}

}  // namespace lapcast
