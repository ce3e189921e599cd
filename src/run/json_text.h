#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace lapcast {

/// Returns how many brackets are open at once, at most, without those within texts. Text that is
/// too deep has to be refused before it is parsed.
int json_depth(std::string_view text);

/// Returns how many values the text has at most: its commas and opening brackets, but for those
/// within texts. Each takes memory beyond its bytes when it is parsed.
std::int64_t json_values(std::string_view text);

/// Returns the JSON text with DEL and the C1 controls escaped: JSON allows them, but they mean
/// something to terminals.
std::string escaped_controls(std::string json);

}  // namespace lapcast
