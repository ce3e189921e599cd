#pragma once

#include <string_view>
#include <vector>

namespace lapcast {

/// Returns the name that differs from `wrong` in the fewest letters, at most a third of them; else
/// nothing.
std::string_view nearest_name(std::string_view wrong, const std::vector<std::string_view>& names);

}  // namespace lapcast
