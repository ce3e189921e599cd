#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lap/training_plan.h"

namespace lapcast {

/// Returns the length that the arguments of a program ask for in a common form, such as "--epochs
/// 20", "--num_train_epochs=3", "trainer.max_epochs=10" (Hydra) or "--max-steps 500". Epochs win
/// over "--steps" and "--iterations", which may be those of an epoch. Returns nothing without such
/// an argument, if two of them disagree, and if both epochs and a largest number of steps are
/// given.
std::optional<TrainingPlan> length_in_command(std::span<const std::string> program);

struct BatchInCommand {
  std::int64_t samples = 0;
  std::vector<std::string> program;  // the arguments with {batch} in its place
};

/// Returns the batch size of an argument such as "--batch-size 64" or "batch_size=64", the last one
/// if there are several; nothing without such an argument.
std::optional<BatchInCommand> batch_in_command(std::span<const std::string> program);

/// Returns the value of an argument with one of the names ("micro_batch_size" stands for
/// "--micro-batch-size 4", too), a whole number above 0, the last one if there are several.
std::optional<std::int64_t> number_in_command(std::span<const std::string> program,
                                              std::span<const std::string_view> names);

/// Returns the arguments of a program by which its trainings differ: options with their values
/// ("--epochs 6"), sorted, then the other words in their order, the program's own name among them.
/// Paths are without their folders. The seed, and options that name outputs, are left out.
std::vector<std::string> training_arguments(std::span<const std::string> program);

}  // namespace lapcast
