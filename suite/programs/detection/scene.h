#pragma once

#include <cstdint>

#include "data/picture.h"

namespace lapcast::workloads {

/// Draws a synthetic photograph of things before a sky and a ground: discs and boxes of many sizes
/// and colours, shaded and grainy. It stands for the papers' pictures where the time counts, which
/// depends on the size alone. The same size and seed give the same picture.
Picture draw_scene(int64_t height, int64_t width, uint64_t seed);

}  // namespace lapcast::workloads
