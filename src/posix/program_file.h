#pragma once

#include <filesystem>
#include <string>

#include "core/result.h"

namespace lapcast {

/// Returns the file that would be executed for a name, which is looked up on PATH when it has no
/// slash. The reason says why there is none: not found, not executable, a folder.
Result<std::filesystem::path> find_program(const std::string& name);

/// Returns the absolute file of this program. Where another file took its place while the program
/// runs (an update, or a lapcast that was sent twice), returns that one. Empty without /proc.
std::filesystem::path own_binary();

}  // namespace lapcast
