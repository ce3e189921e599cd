#pragma once

#include <filesystem>

namespace lapcast {

/// The file of this program, absolute. Where another one took its place while it runs (an update,
/// or a lapcast that was sent twice), that one. Empty without /proc.
std::filesystem::path own_binary();

}  // namespace lapcast
