#pragma once

#include "data/picture.h"
#include "detection/object_heads.h"

namespace lapcast::workloads {

/// Draws what was found over the picture: each object in a colour of its own, its mask (where it is
/// at least 0.5) half transparent, its box as a line.
void draw_detections(Picture& picture, const Detections& found);

}  // namespace lapcast::workloads
