#pragma once

#include <string>
#include <string_view>

namespace lapcast {

/// Returns a table of epochs that a program printed among other output, as a CSV: between bars, or
/// in columns with at least two blanks between their names, one of which counts epochs. Other lines
/// are left out. Returns an empty text where there is none.
std::string printed_table_as_csv(std::string_view text);

}  // namespace lapcast
