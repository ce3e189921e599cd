#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lapcast {

/// The first max_bytes of a file of /proc, /sys or /etc; absent when it cannot be read. Never
/// blocks on a pipe or a device.
std::optional<std::string> read_system_file(const std::string& path,
                                            std::size_t max_bytes = 1 << 20);

/// The same as text without blanks around it; empty when it cannot be read.
std::string read_system_line(const std::string& path);

/// Names in a directory, sorted, without "." and ".."; empty when it cannot be read.
std::vector<std::string> list_system_directory(const std::string& path);

/// Writes text into an existing file in one write; 0 or errno. Never creates the file.
int write_system_file(const std::string& path, const std::string& text);

}  // namespace lapcast
