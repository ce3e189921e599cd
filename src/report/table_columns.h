#pragma once

#include <cstddef>
#include <string>

#include "report/table.h"

namespace lapcast {

/// The text of one cell as a line for people shows it; "-" for a cell that the row lacks.
std::string shown_cell(const Table& table, std::size_t row, std::size_t column);

/// Without the optional columns that are empty in every row.
Table without_empty_columns(Table table);

/// Without as many spare columns as keep it from `width` terminal columns, those with the highest
/// number first; a note names them. `width` 0 = as wide as it is.
Table fitted(Table table, std::size_t width);

}  // namespace lapcast
