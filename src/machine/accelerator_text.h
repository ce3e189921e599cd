#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// Parses the output of nvidia-smi --query-gpu=name,driver_version,memory.total
/// --format=csv,noheader: a line per GPU. Skips lines of another shape; values such as "[N/A]" are
/// not known.
std::vector<Accelerator> parse_nvidia_smi(std::string_view text);

/// Returns "Model:" of /proc/driver/nvidia/gpus/*/information; empty = not said.
std::string parse_nvidia_model(std::string_view information);
/// Returns the driver of /proc/driver/nvidia/version: "550.54.15"; empty = not said.
std::string parse_nvidia_version(std::string_view version);

/// Returns "132 SMs" for a GPU whose data sheet is known, else nothing: no tool of the driver says
/// it.
std::string nvidia_cores(std::string_view model);

}  // namespace lapcast
