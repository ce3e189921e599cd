#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Returns the text with the letters A to Z in lower case.
std::string lower_case(std::string_view text);

}  // namespace lapcast
