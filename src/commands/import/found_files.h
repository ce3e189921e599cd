#pragma once

#include <filesystem>
#include <vector>

namespace lapcast {

/// Limits what is looked at below a folder that a user names.
inline constexpr std::size_t kMostFilesBelow = 100'000;

/// Returns the regular files of a folder and those below it, by name; hidden folders and links are
/// left out. Throws Error (bad input) where there are more than kMostFilesBelow.
std::vector<std::filesystem::path> files_below(const std::filesystem::path& folder);

}  // namespace lapcast
