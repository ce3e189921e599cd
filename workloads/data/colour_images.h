#pragma once

#include <cstdint>
#include <span>

#include "common/random.h"
#include "data/cifar10.h"

namespace lapcast::workloads {

/// Synthetic photographs in the shape of CIFAR-10: 32x32, three colours, ten classes. Each shows one
/// of ten shapes (disc, ring, square, triangle, cross, star, crescent, two bars, checkers, hook) of
/// any size, place and turn, on a background of another colour; both may be striped or shaded;
/// smaller things lie about, a bar may hide a part, and all is disturbed by noise. A shape has a
/// favourite colour, as aeroplanes have the sky's, that it often does not wear. A linear classifier
/// must fail where a convolutional network succeeds (docs/workloads.md).

/// Draws one image of a class, 0..9: red, then green, then blue, row by row.
void draw_colour_image(int shape, Random& random, std::span<uint8_t, kCifarPixels> pixels);

/// Draws `count` images of random classes on `threads` threads. Image i depends on the seed, the
/// part and i alone.
Cifar10Images make_colour_images(int64_t count, uint64_t seed, Cifar10Part part, int64_t threads);

}  // namespace lapcast::workloads
