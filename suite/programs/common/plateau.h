#pragma once

#include <cstdint>
#include <limits>

namespace lapcast::workloads {

/// Reduces the learning rate as Keras's ReduceLROnPlateau does by default: by a factor of 0.1 when
/// the validation loss has not fallen by more than 0.0001 for `patience` epochs in a row.
struct Plateau {
  int64_t patience = 0;                                   ///< epochs; 0: never reduces
  double best = std::numeric_limits<double>::infinity();  ///< lowest loss so far
  int64_t epochs_since_best = 0;
  double scale = 1;  ///< of the learning rate

  /// Adds the loss of one epoch.
  void see(double loss) {
    constexpr double kFactor = 0.1, kLeastFall = 1e-4;
    if (loss < best - kLeastFall) {
      best = loss;
      epochs_since_best = 0;
    } else if (++epochs_since_best >= patience && patience > 0) {
      scale *= kFactor;
      epochs_since_best = 0;
    }
  }
};

}  // namespace lapcast::workloads
