#pragma once

#include <vector>

#include "common/random.h"

namespace lapcast::workloads {

struct Point {
  float x = 0;
  float y = 0;
};

/// A pen's way over the paper: points to be joined by straight lines.
using Stroke = std::vector<Point>;
using Strokes = std::vector<Stroke>;

/// The strokes of a digit, 0..9, in one of the ways to write it, with proportions that vary. It
/// fills about [-0.6, 0.6] x [-1, 1], x to the right and y down.
Strokes digit_strokes(int digit, Random& random);

}  // namespace lapcast::workloads
