#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "machine/description.h"
#include "machine/machine_type.h"
#include "rank/tuning.h"

namespace lapcast {

/// Holds what decides which settings can be tried for a program.
struct TunedProgram {
  MachineDescription machine;
  MachineType type;       // CPUs and quota that it gets
  bool has_hook = false;  // it is a Python program that the hook observes
  /// Returns the value that a variable already has for the program.
  std::function<std::optional<std::string>(const std::string&)> variable;
};

/// Lists the names of the settings that --tune knows and that keep the results; the second function
/// lists those that change them.
std::span<const std::string> kept_result_settings();
std::span<const std::string> changed_result_settings();

/// Returns the settings of these names that the machine and the program offer, without those that
/// the program already has. Throws Error (usage) for an unknown name.
std::vector<TuneSetting> tune_settings(std::span<const std::string> names,
                                       const TunedProgram& program);

/// Parses "NAME=VALUE,VALUE", an environment variable that is tried with each value. Throws Error
/// (usage) for anything else.
std::vector<TuneSetting> tried_variable(const std::string& text);

}  // namespace lapcast
