#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace lapcast {

/// Returns why nothing can be written into a folder: "No space left on device", "Disk quota
/// exceeded", "Read-only file system" ...; none when 64 KiB can be. Writes a file that is gone
/// afterwards.
std::optional<std::string> why_not_writable(const std::filesystem::path& folder);

/// Returns whether the file system of a folder has no block or no inode left for this user. Writes
/// nothing.
bool has_full_disk(const std::filesystem::path& folder);

}  // namespace lapcast
