#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

#include "run/run.h"
#include "store/store.h"

namespace lapcast {

/// Returns the results of `suite run` from the runs of its sets; nullopt if no run belongs to a
/// set.
std::optional<nlohmann::ordered_json> suite_part(const Store& store, std::span<const Run> runs);

}  // namespace lapcast
