#pragma once

#include <cstdint>

#include "data/picture.h"
#include "retina/circle.h"

namespace lapcast::workloads {

/// Cuts the square around a circle out of a photograph and resizes it to side x side pixels, each
/// the mean of the area that it covers (or between the nearest ones where the square is smaller).
/// What lies beyond the photograph is black. The object of a thread keeps its memory.
class EyeCropper {
 public:
  explicit EyeCropper(int64_t side) : side_(side) {}

  /// Returns the picture, valid until the next call.
  const Picture& crop(const Picture& photo, const EyeCircle& eye);

 private:
  /// Holds the weights of the pixels of one axis that one pixel of the result is made of.
  struct Taps {
    int64_t first = 0;
    std::vector<float> weights;
  };

  void weigh(double begin, double length, int64_t pixels, std::vector<Taps>& taps) const;
  void add_rows(const Picture& photo, const Taps& taps, int64_t left, int64_t right);

  int64_t side_;
  std::vector<Taps> columns_, rows_;
  std::vector<float> sums_;
  Picture cropped_;
};

}  // namespace lapcast::workloads
