#pragma once

#include <cstdint>
#include <span>

#include "common/random.h"
#include "data/cifar10.h"

namespace lapcast::workloads {

/// Draws synthetic photographs in the format of CIFAR-10: 32x32, three colours, ten classes. Each
/// shows one of ten shapes (disc, ring, square, triangle, cross, star, crescent, two bars,
/// checkers, hook) of any size, position and rotation on a background of another colour. Both may
/// be striped or shaded, small objects and a bar may cover parts, and noise is added. Each shape
/// has one colour more often than others, as aeroplanes have the sky's. A linear classifier must
/// fail where a convolutional network succeeds (suite/docs/workloads.md).

/// Draws one image of a class, 0..9, row by row: red, then green, then blue.
void draw_colour_image(int shape, Random& random, std::span<uint8_t, kCifarPixels> pixels);

/// Draws `count` images, whose classes take turns, on `threads` threads. Image i depends on the
/// seed, the part and i alone.
Cifar10Images make_colour_images(int64_t count, uint64_t seed, Cifar10Part part, int64_t threads);

}  // namespace lapcast::workloads
