#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "report/table.h"

namespace lapcast {

/// Returns "12.3 s (11.9-12.8)", "$12.24", "yes"; "-" for an empty cell. The text is not yet safe
/// for any format.
std::string for_people(const Cell& cell);

/// Returns true for each column that holds only figures: these are aligned to the right.
std::vector<bool> columns_of_figures(const Table& table);

/// Returns how many columns a terminal gives to UTF-8 text: 2 for East Asian wide characters and
/// emoji, 0 for combining marks, 1 for all else. Does not depend on the locale.
std::size_t display_width(std::string_view utf8);

/// Removes a column with its cells.
void remove_column(Table& table, std::size_t column);

// Each function writes one table in its format; write_json() writes the array of all tables. Rows
// are as long as the columns.
void write_text(Table table, TextStyle style, std::ostream& out);
void write_markdown(const Table& table, std::ostream& out);
void write_csv(const Table& table, std::ostream& out);
void write_json(const std::vector<Table>& tables, std::ostream& out);
void write_jsonl(const Table& table, std::ostream& out);

}  // namespace lapcast
