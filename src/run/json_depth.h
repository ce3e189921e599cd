#pragma once

#include <cstdint>
#include <string_view>

namespace lapcast {

/// Brackets that are open at once, at most; those within texts do not count. What is too deep is to
/// be refused before it is parsed.
int json_depth(std::string_view text);

/// Returns how many values the text has at most: its commas and opening brackets, but for those
/// within texts. Each takes memory beyond its bytes when it is parsed.
std::int64_t json_values(std::string_view text);

}  // namespace lapcast
