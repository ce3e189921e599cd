#include "embryo/shadows.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace lapcast::workloads {
namespace {

using Histogram = std::array<uint32_t, 256>;

/// Counts the values. Four tables take turns, so that equal neighbours need not wait for each
/// other.
Histogram histogram_of(std::span<const uint8_t> pixels) {
  std::array<Histogram, 4> counts{};
  size_t i = 0;
  for (; i + 4 <= pixels.size(); i += 4) {
    for (size_t k = 0; k < 4; ++k) ++counts[k][pixels[i + k]];
  }
  for (; i < pixels.size(); ++i) ++counts[0][pixels[i]];
  Histogram sum{};
  for (const Histogram& part : counts) {
    for (size_t value = 0; value < sum.size(); ++value) sum[value] += part[value];
  }
  return sum;
}

}  // namespace

ToneTable equalising_tones(std::span<const uint8_t> pixels) {
  const Histogram counts = histogram_of(pixels);
  const auto darkest = static_cast<size_t>(
      std::find_if(counts.begin(), counts.end(), [](uint32_t n) { return n > 0; }) -
      counts.begin());
  ToneTable tones{};
  if (darkest == counts.size()) return tones;
  if (counts[darkest] == pixels.size()) {
    tones.fill(static_cast<uint8_t>(darkest));
    return tones;
  }
  // OpenCV also uses single precision and rounds halves to even.
  const float scale = 255.0f / static_cast<float>(pixels.size() - counts[darkest]);
  uint32_t sum = 0;
  for (size_t value = darkest + 1; value < tones.size(); ++value) {
    sum += counts[value];
    tones[value] = static_cast<uint8_t>(std::lrint(static_cast<float>(sum) * scale));
  }
  return tones;
}

ToneTable shadow_tones(std::span<const uint8_t> pixels) {
  ToneTable tones = equalising_tones(pixels);
  for (uint8_t& tone : tones) tone = static_cast<uint8_t>(std::abs(tone - kNeutral));
  return tones;
}

}  // namespace lapcast::workloads
