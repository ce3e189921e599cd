#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <iosfwd>
#include <limits>

#include "common/early_stopping.h"
#include "common/plateau.h"
#include "common/share.h"

namespace lapcast::workloads {

/// Runs the training loop of the suite: epochs of iterations, each followed by a validation and,
/// when due, a checkpoint. Everything is reported through lap.h. The loop knows nothing of
/// networks.

/// Holds the sums of a pass over some samples, so that passes can be added.
struct Score {
  double loss_sum = 0;  ///< the loss of each sample, added up
  int64_t correct = 0;
  int64_t samples = 0;

  Score& operator+=(const Score& other);
  double loss() const { return samples ? loss_sum / static_cast<double>(samples) : 0; }
  double accuracy() const {
    return samples ? static_cast<double>(correct) / static_cast<double>(samples) : 0;
  }
};

/// Holds the progress of a training, as a checkpoint keeps it.
struct Progress {
  int64_t epochs_done = 0;
  EarlyStopping early;
  Plateau plateau;
  double best_loss = std::numeric_limits<double>::infinity();  ///< lowest validation loss
};

struct TrainPlan {
  int64_t epochs = 1;
  int64_t steps = 0;  ///< iterations in all, counted from epoch 1; 0: `epochs` counts
  int64_t batch = 1;  ///< of all replicas, as all samples here are
  Share share;        ///< of each batch, that this replica works on
  int64_t training_samples = 0;
  int64_t validation_samples = 0;
  bool answers_requests = true;   ///< for a validation between two laps
  bool counts_correct = true;     ///< false: no accuracy, and early stopping watches the loss
  int64_t test_samples = 0;       ///< of the test part, where there is one
  bool evaluate = false;          ///< tests, or validates once more, at the end: stage "evaluate"
  int64_t checkpoint_every = 0;   ///< epochs; 0: never
  bool keeps_best = false;        ///< also keeps best.pt, that of the lowest validation loss
  std::filesystem::path run_dir;  ///< folder of checkpoints; must exist when there are any
  Progress progress;              ///< where to resume; by default at the start

  /// Returns the iterations of a whole epoch; a partial last batch counts as one.
  int64_t iterations_per_epoch() const { return (training_samples + batch - 1) / batch; }
};

/// Holds the functions that the loop calls. Positions count in the epoch's order of training
/// samples of all replicas, and in the validation set.
struct Trainee {
  /// Sets the order of the samples for epoch 1, 2, ...
  std::function<void(int64_t epoch)> begin_epoch;
  /// Multiplies the first learning rate; called before each epoch when the plan has a plateau.
  std::function<void(double scale)> scale_rate;
  /// Trains on the samples [first, first + count). Returns false when the work was only queued on a
  /// device and may not be finished.
  std::function<bool(int64_t first, int64_t count)> train;
  /// Returns the score of training since the last call; waits for the device.
  std::function<Score()> take_training_score;
  /// Validates on the samples [first, first + count). Returns nothing where the work was only
  /// queued on a device.
  std::function<Score(int64_t first, int64_t count)> validate;
  /// Evaluates the samples [first, first + count) of the test part, likewise.
  std::function<Score(int64_t first, int64_t count)> test;
  /// Returns the score of what validate() and test() only queued; waits for the device. Can be
  /// empty where they queue nothing.
  std::function<Score()> take_validation_score;
  /// Brings all replicas to one state before a validation at the end of an epoch. Empty, as the
  /// next two, for a training without other replicas.
  std::function<void()> settle;
  /// Returns the sum of the scores of all replicas.
  std::function<Score(const Score&)> sum;
  /// Returns on how many samples all replicas shall validate now; 0: they shall not.
  std::function<int64_t()> validation_wanted;
  /// Writes a checkpoint. Returns its size in bytes.
  std::function<int64_t(const std::filesystem::path& file, const Progress& progress)> save;
};

struct TrainResult {
  Progress progress;
  Score validation;  ///< the last one
  bool stopped_early = false;
};

/// Trains to the plan's end or until early stopping. Writes one line per epoch to `out`: loss and
/// accuracy (both means over the epoch's iterations, as Keras prints them), validation loss and
/// accuracy (accuracies only where the objective has them), seconds. An epoch that `steps` ends
/// early is validated too, but has no checkpoint. An evaluation of a test part is the last line,
/// and the metrics test_loss and test_accuracy.
TrainResult train(const TrainPlan& plan, const Trainee& trainee, std::ostream& out);

}  // namespace lapcast::workloads
