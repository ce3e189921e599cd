#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Returns a text without the escape sequences of a terminal, such as those of colours.
std::string without_escapes(std::string_view text);

}  // namespace lapcast
