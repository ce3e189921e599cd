#pragma once

#include <string>
#include <utility>
#include <vector>

namespace lapcast {

/// Returns the placeholders "{name}" in a program's arguments, sorted. {run_dir} is lapcast's own
/// and is not among them. A name is [a-z_][a-z0-9_]*.
std::vector<std::string> placeholders_of(const std::vector<std::string>& program);

/// Parses "batch=128,512" into {"batch", {"128", "512"}}. Throws Error (usage) for anything else,
/// and for a value that occurs twice.
std::pair<std::string, std::vector<std::string>> parse_setting(const std::string& text);

}  // namespace lapcast
