#pragma once

#include <string>
#include <vector>

#include "cli/program_part.h"

namespace lapcast {

/// Returns what lapcast prints without arguments: how to begin, and the commands of the groups.
std::string front_page(const std::vector<CommandGroup>& groups);

/// Returns its last line: "This computer: 13th Gen Intel Core i5, 8 CPUs, no GPU found; 12 runs
/// stored". A store that cannot be read is left out.
std::string this_computer();

}  // namespace lapcast
