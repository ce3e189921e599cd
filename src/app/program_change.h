#pragma once

#include <span>
#include <string>
#include <vector>

#include "store/store.h"

namespace lapcast {

/// Returns a line for each sweep of these probes whose program changed since the sweep was begun:
/// their forecasts are of the program as it was. Imported runs are passed over.
std::vector<std::string> program_changes(const Store& store, std::span<const Run> probes);

}  // namespace lapcast
