#pragma once

#include "extrapolate/gaussian.h"

namespace lapcast {

/// Returns the logarithm of the seconds of a training lap on an RTX 3090 in mixed precision, from
/// the counted floating-point operations of a lap (forward and backward; a multiplication with an
/// addition is two) and the numbers that its convolutions and matrix products write in the forward
/// pass. It is quadratic in both logarithms, by the trainings of timm's networks on that card
/// (docs/shortlist.md); `sd` is the deviation of networks of families that the fit had not seen.
NormalPart counted_lap(double flops, double activations, double batch);

}  // namespace lapcast
