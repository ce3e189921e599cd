#pragma once

#include <string_view>

namespace lapcast {

/// Brackets that are open at once, at most; those within texts do not count. What is too deep is to
/// be refused before it is parsed.
int json_depth(std::string_view text);

}  // namespace lapcast
