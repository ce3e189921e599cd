#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Returns what lapcast prints without arguments: how to begin, and all commands in their groups.
std::string_view front_page();

/// Returns its last line: "This computer: 13th Gen Intel Core i5, 8 CPUs, no GPU found; 12 runs
/// stored". A store that cannot be read is left out.
std::string this_computer();

}  // namespace lapcast
