#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/result.h"

namespace lapcast {

/// Reads the `flags` of [machine.slurm]: options of sbatch and srun, of which only those are taken
/// that ask for resources, a place in the queue or accounting. Slurm's options that name a command
/// or a file, or that change how lapcast starts and finds its job, are refused; so are
/// abbreviations, which Slurm would complete.
class SlurmFlags {
 public:
  /// Takes the next entry: "--qos=low", "--qos", "low", "-c4", "-c". The reason names the flag.
  Result<void> add(const std::string& entry);
  /// Returns one argument "--name=value" or "--name" for each option; the reason when the last one
  /// lacks its value.
  Result<std::vector<std::string>> take();

 private:
  Result<void> add_option(std::string_view shown, std::string_view name, bool has_value,
                          std::string_view value);
  Result<void> add_value(std::string_view value);

  std::vector<std::string> arguments_;
  std::string pending_;  // the name of an option whose value is the next entry; empty = none
};

/// Returns the names of the options that SlurmFlags takes, in alphabetical order.
std::vector<std::string_view> allowed_slurm_flags();

}  // namespace lapcast
