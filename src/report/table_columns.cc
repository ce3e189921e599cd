#include "report/table_columns.h"

#include <algorithm>

#include "core/units.h"
#include "report/table_cell.h"
#include "report/table_width.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

bool is_empty(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return std::holds_alternative<std::monostate>(cell) || (text != nullptr && text->empty());
}

bool says_nothing(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(),
                     [&](const std::vector<Cell>& row) {
                       return column >= row.size() || is_empty(row[column]);
                     });
}

void remove_column(Table& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows)
    if (column < row.size()) row.erase(row.begin() + at);
}

std::size_t width_of(const Table& table, std::size_t column) {
  std::size_t width = display_width(printable(table.columns[column].header));
  for (std::size_t row = 0; row < table.rows.size(); ++row)
    width = std::max(width, display_width(shown_cell(table, row, column)));
  return width;
}

std::size_t width_of(const Table& table) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    width += width_of(table, i) + (i > 0 ? kBetweenColumns.size() : 0);
  return width;
}

/// Nothing to leave out: columns.end().
auto most_spare(const Table& table) {
  const auto most = std::max_element(
      table.columns.begin(), table.columns.end(),
      [](const Column& a, const Column& b) { return a.spare <= b.spare; });
  return most == table.columns.end() || most->spare == 0 ? table.columns.end() : most;
}

}  // namespace

std::string shown_cell(const Table& table, std::size_t row, std::size_t column) {
  const std::vector<Cell>& cells = table.rows[row];
  return column < cells.size() ? printable(for_people(cells[column])) : "-";
}

Table without_empty_columns(Table table) {
  for (std::size_t column = table.columns.size(); column-- > 0;)
    if (table.columns[column].optional && says_nothing(table, column)) remove_column(table, column);
  return table;
}

Table fitted(Table table, std::size_t width) {
  std::string left_out;
  while (width > 0 && width_of(table) > width) {
    const auto column = most_spare(table);
    if (column == table.columns.end()) break;
    left_out += (left_out.empty() ? "" : ", ") + column->header;
    remove_column(table, static_cast<std::size_t>(column - table.columns.begin()));
  }
  if (!left_out.empty())
    table.notes.push_back("left out to fit the terminal: " + left_out +
                          "; all columns with --format csv, or through a pipe");
  return table;
}

}  // namespace lapcast
