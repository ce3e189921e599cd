#pragma once

#include "data/picture.h"

namespace lapcast::workloads {

/// Says where the round field of a photograph of the retina lies, in pixels from the middle of the
/// upper left one.
struct EyeCircle {
  double x = 0;
  double y = 0;
  double radius = 0;
};

/// Finds the round field before its dark background: the circle on which most places lie where the
/// picture becomes bright, seen from its borders. The field may be cut by the picture's borders.
/// Throws PictureError with the reason when the picture has no such field.
EyeCircle find_eye(const Picture& photo);

}  // namespace lapcast::workloads
