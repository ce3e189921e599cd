#pragma once

#include <cstddef>
#include <string_view>

namespace lapcast {

/// Columns that a terminal gives to UTF-8 text: 2 for East Asian wide characters and emoji, 0 for
/// combining marks, 1 for all else. Does not depend on the locale.
std::size_t display_width(std::string_view utf8);

}  // namespace lapcast
