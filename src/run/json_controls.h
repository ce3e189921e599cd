#pragma once

#include <string>

namespace lapcast {

/// Returns the JSON text with DEL and the C1 controls escaped: JSON allows them, but they mean
/// something to terminals.
std::string escaped_controls(std::string json);

}  // namespace lapcast
