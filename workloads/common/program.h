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

/// What a training program is made of, beside its options.
struct Recipe {
  std::function<std::shared_ptr<Network>()> network;
  std::function<std::unique_ptr<Optimizer>(std::vector<at::Tensor> parameters)> optimizer;

  /// Reads and prepares the data, within stages of its own ("data-load", "pre-process"), for this
  /// device; keeps options.samples and options.validation_samples of them.
  std::function<DataParts(c10::Device)> data;

  Objective objective = Objective::kClassify;

  /// The learning rate of epoch 1, 2, ... of `epochs`, from the first one; empty: it stays.
  std::function<double(double first, int64_t epoch, int64_t epochs)> learning_rate;
};

/// The main() of a training program: parses, then describes, or trains and reports its laps.
/// `options` holds the program's defaults; recipe() is called when they are complete. The exit
/// status: 0, 1 when data or a checkpoint cannot be used, 2 for usage or a device that is not
/// there; errors are one line on stderr.
int run_program(CommandLine& line, CommonOptions& options, int argc, char** argv,
                const std::function<Recipe()>& recipe);

}  // namespace lapcast::workloads
