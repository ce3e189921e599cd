#pragma once

#include <vector>

#include "common/random.h"

namespace lapcast::workloads {

struct Point {
  float x = 0;
  float y = 0;
};

/// Holds the points of one stroke of a pen, which straight lines join.
using Stroke = std::vector<Point>;
using Strokes = std::vector<Stroke>;

/// Returns the strokes of a digit, 0..9, in one of its styles and with varying proportions. It
/// fills about [-0.6, 0.6] x [-1, 1], x to the right and y down.
Strokes digit_strokes(int digit, Random& random);

}  // namespace lapcast::workloads
