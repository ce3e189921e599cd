#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace lapcast::workloads {

/// Draws random numbers that are the same on every platform and for every number of threads, unlike
/// the distributions of <random>. The generator is SplitMix64: Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014.

/// Separates the states of two neighbouring streams: 2^64 divided by the golden ratio, odd.
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

/// Maps 64 bits one-to-one to 64 bits that look random for any input.
constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Combines three numbers into a seed, so that each combination has its own stream.
constexpr uint64_t mix_seeds(uint64_t a, uint64_t b, uint64_t c = 0) {
  return mix64(mix64(mix64(a + kGolden) + b + kGolden) + c + kGolden);
}

class Random {
 public:
  explicit constexpr Random(uint64_t seed) : state_(seed) {}

  constexpr uint64_t bits() { return mix64(state_ += kGolden); }

  /// Returns a number in [0, 1).
  constexpr float unit() { return static_cast<float>(bits() >> 40) * 0x1p-24f; }

  /// Returns a number in [low, high).
  constexpr float between(float low, float high) { return low + (high - low) * unit(); }

  /// Returns a number in [0, n). n is at least 1 and much smaller than 2^32, so the bias of at most
  /// n / 2^32 is negligible.
  constexpr uint32_t below(uint32_t n) { return static_cast<uint32_t>(((bits() >> 32) * n) >> 32); }

  constexpr bool chance(float probability) { return unit() < probability; }

  /// Returns a nearly normal number with mean 0 and deviation 1 in [-3.46, 3.46]: a sum of four
  /// uniforms.
  constexpr float bell() {
    const uint64_t b = bits();
    const auto sum =
        static_cast<float>((b & 0xffff) + ((b >> 16) & 0xffff) + ((b >> 32) & 0xffff) + (b >> 48));
    return (sum * 0x1p-16f - 2.0f) * 1.7320508f;
  }

 private:
  uint64_t state_;
};

/// Puts items into a random order.
template <typename Item>
void shuffle(std::vector<Item>& items, Random random) {
  for (size_t left = items.size(); left > 1; --left) {
    std::swap(items[left - 1], items[random.below(static_cast<uint32_t>(left))]);
  }
}

}  // namespace lapcast::workloads
