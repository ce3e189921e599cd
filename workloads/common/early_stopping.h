#pragma once

#include <cstdint>
#include <limits>

namespace lapcast::workloads {

/// Keras's EarlyStopping: ends a training whose validation has not got better for `patience` epochs
/// in a row. What is watched rises when it gets better: an accuracy, or a loss with its sign
/// changed.
struct EarlyStopping {
  int64_t patience = 0;                                      ///< 0: never ends it
  double best = -std::numeric_limits<double>::infinity();  ///< highest so far
  int64_t epochs_since_best = 0;

  /// Takes one epoch's value.
  void see(double value) {
    epochs_since_best = value > best ? 0 : epochs_since_best + 1;
    if (value > best) best = value;
  }

  bool should_stop() const { return patience > 0 && epochs_since_best >= patience; }
};

}  // namespace lapcast::workloads
