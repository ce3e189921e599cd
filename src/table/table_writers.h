#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <string_view>
#include <vector>

#include "table/table.h"

namespace lapcast {

enum class IntervalForm {
  bounds,      // "12.3 s (11.9-12.8)"
  percent,     // "12.3 s ±4 %", or "12.3 s -30/+50 %" where the bounds differ in distance
  in_letters,  // "12.3 s +-4 %"
};

/// Returns the text of a cell that people see: "12.3 s (11.9-12.8)", "$12.24", "yes"; "-" for an
/// empty cell. The caller makes the text safe for its format.
std::string for_people(const Cell& cell, IntervalForm form = IntervalForm::bounds);

/// Returns for each column whether it is aligned to the right: it has figures, and no text or truth
/// value.
std::vector<bool> columns_of_figures(const Table& table);

/// Removes the column of that index with its cells.
void remove_column(Table& table, std::size_t column);

// These functions write one table, and write_json() all tables. Each row must have as many cells as
// the table has columns. They do not read Table::figures.
void write_text(Table table, TextStyle style, std::ostream& out);
void write_markdown(const Table& table, std::ostream& out);
void write_csv(const Table& table, std::ostream& out);
void write_json(std::string_view command, const std::vector<Table>& tables, std::ostream& out);
void write_jsonl(const Table& table, std::ostream& out);

}  // namespace lapcast
