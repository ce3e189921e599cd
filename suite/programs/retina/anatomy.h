#pragma once

#include <cstdint>
#include <vector>

#include "common/random.h"

namespace lapcast::workloads {

/// Describes the fundus of one synthetic eye. Lengths are in units of the radius of the
/// photograph's round field, from its centre; x points right, y down.

/// Names the grades of diabetic retinopathy, 0 (none) to 4 (proliferative).
inline constexpr int kRetinaGrades = 5;

/// Is a straight piece of a vessel.
struct VesselPiece {
  float x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  float radius = 0;
  float darkness = 0;  ///< 0..1
};

/// Is an elliptic spot: a lesion, the optic disc, the macula, a reflection.
struct Spot {
  float x = 0, y = 0;
  float radius_x = 0, radius_y = 0;
  float turn = 0;      ///< in radians
  float softness = 1;  ///< the share of the radius over which it fades, 0..1
  float darkness = 0;  ///< what it takes of the light, 0..1
  float yellow = 0;    ///< what it adds of yellow light
  float white = 0;     ///< what it adds of white light
};

struct Fundus {
  std::vector<VesselPiece> vessels;
  std::vector<Spot> spots;
};

/// Draws the anatomy of an eye and the lesions of its grade: none; microaneurysms; with bleedings
/// and exudates; with many bleedings in all quadrants and cotton-wool spots; with new vessels and
/// a large bleeding in front of the retina. With `glare` it has reflections of the flash.
Fundus draw_fundus(int grade, bool glare, Random& random);

}  // namespace lapcast::workloads
