#pragma once

#include <cstdint>
#include <span>

#include "common/random.h"
#include "data/idx.h"

namespace lapcast::workloads {

/// Draws synthetic digits that look handwritten, in the format of MNIST: 28x28, white ink on black,
/// ten classes. Each digit is drawn from strokes in one of a few styles, then bent, rotated,
/// sheared, scaled and moved, with a pen of some width, softness and strength. Stray strokes,
/// erased bands and noise are added. The set must be learnable but not trivial: a linear classifier
/// must fail where a small convolutional network succeeds (suite/docs/workloads.md).

inline constexpr int kDigitSide = 28;
inline constexpr int kDigitPixels = kDigitSide * kDigitSide;
inline constexpr int kDigitClasses = 10;

/// Draws one digit, 0..9, into kDigitPixels bytes, row by row.
void draw_digit(int digit, Random& random, std::span<uint8_t, kDigitPixels> pixels);

/// Draws `count` digits of random classes on `threads` threads. Image i depends on the seed, the
/// part and i alone, not on the threads or on `count`.
LabelledImages make_digits(int64_t count, uint64_t seed, MnistPart part, int threads);

}  // namespace lapcast::workloads
