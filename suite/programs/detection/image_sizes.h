#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "detection/boxes.h"

namespace lapcast::workloads {

/// Parses "1152x1600,443x760" (rows x columns) into sizes. Returns nothing for a text that is not a
/// such list, or when a size is 0 or larger than pictures may be.
std::optional<std::vector<Sides>> parse_sizes(std::string_view text);

/// Returns "1152x1600".
std::string size_text(const Sides& size);

}  // namespace lapcast::workloads
