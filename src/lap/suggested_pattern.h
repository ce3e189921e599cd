#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lapcast {

/// Is a regular expression for --lap-line, and what it catches in the lines that it was made from.
struct Suggestion {
  std::string expression;
  std::size_t lines = 0;
  std::int64_t first = 0;  // step that it catches
  std::int64_t last = 0;
};

/// Returns an expression that fits the lines of a program in which a number grows: the words before
/// that number, and the number as the group `step`. Returns nothing when there are no two such
/// lines, or when what it catches does not grow.
std::optional<Suggestion> suggested_pattern(const std::vector<std::string>& lines);

}  // namespace lapcast
