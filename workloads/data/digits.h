#pragma once

#include <cstdint>
#include <span>

#include "common/random.h"
#include "data/idx.h"

namespace lapcast::workloads {

/// Synthetic handwritten-looking digits in the shape of MNIST: 28x28, white ink on black, ten
/// classes. Each is drawn from strokes in one of a few ways to write the digit, bent, turned,
/// sheared, scaled, moved, drawn with a pen of some width, softness and strength, then disturbed:
/// stray strokes, wiped bands, noise. They are meant to be learnable but not trivial: a linear
/// classifier must fail where a small convolutional network succeeds (docs/workloads.md).

inline constexpr int kDigitSide = 28;
inline constexpr int kDigitPixels = kDigitSide * kDigitSide;
inline constexpr int kDigitClasses = 10;

/// Draws one digit, 0..9, into kDigitPixels bytes, row by row.
void draw_digit(int digit, Random& random, std::span<uint8_t, kDigitPixels> pixels);

/// Draws `count` digits of random classes on `threads` threads. Image i depends on the seed, the
/// part and i alone: not on the threads, nor on how many images are drawn after it.
LabelledImages make_digits(int64_t count, uint64_t seed, MnistPart part, int threads);

}  // namespace lapcast::workloads
