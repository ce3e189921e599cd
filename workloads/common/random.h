#pragma once

#include <cstdint>

namespace lapcast::workloads {

/// Random numbers that are the same on every platform and for every number of threads (those of
/// <random>'s distributions are not). SplitMix64: Steele, Lea, Flood, "Fast splittable
/// pseudorandom number generators", OOPSLA 2014.

/// The step between the states of two neighbouring streams: 2^64 over the golden ratio, odd.
inline constexpr uint64_t kGolden = 0x9e3779b97f4a7c15;

/// A bijection of 64 bits whose outputs look random, for whatever inputs.
constexpr uint64_t mix64(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// A seed made of three: one stream for each combination.
constexpr uint64_t mix_seeds(uint64_t a, uint64_t b, uint64_t c = 0) {
  return mix64(mix64(mix64(a + kGolden) + b + kGolden) + c + kGolden);
}

class Random {
 public:
  explicit constexpr Random(uint64_t seed) : state_(seed) {}

  constexpr uint64_t bits() { return mix64(state_ += kGolden); }

  /// In [0, 1).
  constexpr float unit() { return static_cast<float>(bits() >> 40) * 0x1p-24f; }

  /// In [low, high).
  constexpr float between(float low, float high) { return low + (high - low) * unit(); }

  /// In [0, n); n >= 1 and far below 2^32, where the bias of at most n / 2^32 does not matter.
  constexpr uint32_t below(uint32_t n) { return static_cast<uint32_t>(((bits() >> 32) * n) >> 32); }

  constexpr bool chance(float probability) { return unit() < probability; }

  /// Nearly normal, mean 0, deviation 1, within [-3.46, 3.46]: the sum of four uniforms.
  constexpr float bell() {
    const uint64_t b = bits();
    const auto sum =
        static_cast<float>((b & 0xffff) + ((b >> 16) & 0xffff) + ((b >> 32) & 0xffff) + (b >> 48));
    return (sum * 0x1p-16f - 2.0f) * 1.7320508f;
  }

 private:
  uint64_t state_;
};

}  // namespace lapcast::workloads
