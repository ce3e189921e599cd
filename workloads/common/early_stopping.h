#pragma once

namespace lapcast::workloads {

/// Keras's EarlyStopping on the validation accuracy: ends a training whose accuracy has not risen
/// for `patience` epochs in a row.
struct EarlyStopping {
  int patience = 0;  ///< 0: never ends it
  double best = -1;  ///< highest accuracy so far, 0..1; -1 before the first
  int epochs_since_best = 0;

  /// Takes one epoch's accuracy.
  void see(double accuracy) {
    epochs_since_best = accuracy > best ? 0 : epochs_since_best + 1;
    if (accuracy > best) best = accuracy;
  }

  bool should_stop() const { return patience > 0 && epochs_since_best >= patience; }
};

}  // namespace lapcast::workloads
