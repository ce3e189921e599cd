#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "machine/description.h"

namespace lapcast {

/// The output of nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader: a
/// line per GPU. Lines of another shape are skipped; values such as "[N/A]" are unknown.
std::vector<Accelerator> parse_nvidia_smi(std::string_view text);

/// "Model:" of /proc/driver/nvidia/gpus/*/information; empty = not said.
std::string parse_nvidia_model(std::string_view information);
/// The driver of /proc/driver/nvidia/version: "550.54.15"; empty = not said.
std::string parse_nvidia_version(std::string_view version);

/// "132 SMs" for a GPU whose data sheet is known, else empty: no tool of the driver tells it.
std::string nvidia_cores(std::string_view model);

}  // namespace lapcast
