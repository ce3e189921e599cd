#pragma once

#include <cstdint>
#include <limits>

namespace lapcast::workloads {

/// Stops a training as Keras's EarlyStopping does, when the validation has not improved for
/// `patience` consecutive epochs. The watched value rises when the network improves: an accuracy,
/// or a negated loss.
struct EarlyStopping {
  int64_t patience = 0;                                    ///< epochs; 0: never stops
  double best = -std::numeric_limits<double>::infinity();  ///< highest so far
  int64_t epochs_since_best = 0;

  /// Adds the value of one epoch.
  void see(double value) {
    epochs_since_best = value > best ? 0 : epochs_since_best + 1;
    if (value > best) best = value;
  }

  bool should_stop() const { return patience > 0 && epochs_since_best >= patience; }
};

}  // namespace lapcast::workloads
