#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "common/batches.h"
#include "common/command_line.h"
#include "common/network.h"
#include "common/objective.h"
#include "common/optimizer.h"
#include "common/options.h"

namespace lapcast::workloads {

/// Describes a training program, apart from its options.
struct Recipe {
  std::function<std::shared_ptr<Network>()> network;
  std::function<std::unique_ptr<Optimizer>(std::vector<at::Tensor> parameters)> optimizer;

  /// Reads and prepares the data for this device within stages of its own ("data-load",
  /// "pre-process"). It keeps options.samples and options.validation_samples of them.
  std::function<DataParts(c10::Device)> data;

  Objective objective = Objective::kClassify;

  /// Reduces the learning rate after so many epochs without a lower validation loss (plateau.h); 0:
  /// never.
  int64_t plateau_patience = 0;

  /// Keeps the checkpoint of the lowest validation loss as best.pt where there is a run folder.
  bool keeps_best = false;

  /// Replaces the training where it is set: the program calls it and ends.
  std::function<void()> instead = {};

  /// Returns the learning rate of epoch 1, 2, ... of `epochs`. Without a function the rate stays
  /// `first`.
  std::function<double(double first, int64_t epoch, int64_t epochs)> learning_rate;
};

/// Runs the main() of a training program: parses, then describes the network, or trains it and
/// reports laps. `options` holds the program's defaults; recipe() is called when they are complete.
/// Returns the exit status: 0, 1 when data or a checkpoint cannot be used, 2 for usage or a missing
/// device. Errors are one line on stderr.
int run_program(CommandLine& line, CommonOptions& options, int argc, char** argv,
                const std::function<Recipe()>& recipe);

}  // namespace lapcast::workloads
