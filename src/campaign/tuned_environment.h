#pragma once

#include <string>

#include "campaign/tune.h"

namespace lapcast {

/// Returns the text of a file that a shell reads with ".", with the environment of a sure verdict.
/// `machine` names the machine that it was found on; empty = this one.
std::string environment_file(const TuneResult& result, const std::string& lapcast_version,
                             const std::string& machine = "");

}  // namespace lapcast
