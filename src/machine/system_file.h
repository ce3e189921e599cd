#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace lapcast {

/// Returns the first max_bytes of a file of /proc, /sys or /etc; none when it cannot be read. Never
/// blocks on a pipe or a device.
std::optional<std::string> read_system_file(const std::string& path,
                                            std::size_t max_bytes = 1 << 20);

/// Returns the text of such a file without blanks around it; empty when it cannot be read.
std::string read_system_line(const std::string& path);

/// Returns the names in a directory, sorted, without "." and ".."; empty when it cannot be read.
std::vector<std::string> list_system_directory(const std::string& path);

/// Writes text into an existing file in one write, and never creates the file. Returns 0 or errno.
int write_system_file(const std::string& path, const std::string& text);

}  // namespace lapcast
