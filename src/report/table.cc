#include "report/table.h"

#include <fmt/core.h>
#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "core/error.h"
#include "core/units.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

constexpr std::pair<std::string_view, Format> kFormats[] = {{"table", Format::table},
                                                            {"csv", Format::csv},
                                                            {"json", Format::json},
                                                            {"jsonl", Format::jsonl},
                                                            {"markdown", Format::markdown}};

template <class Write>
void with_empty_lines_between(const std::vector<Table>& tables, std::ostream& out, Write write) {
  for (std::size_t i = 0; i < tables.size(); ++i) {
    if (i > 0) out << '\n';
    write(tables[i]);
  }
}

bool is_empty(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return std::holds_alternative<std::monostate>(cell) || (text != nullptr && text->empty());
}

bool says_nothing(const Table& table, std::size_t column) {
  return std::all_of(table.rows.begin(), table.rows.end(), [&](const std::vector<Cell>& row) {
    return column >= row.size() || is_empty(row[column]);
  });
}

/// Removes the optional columns that are empty in every row.
Table without_empty_columns(Table table) {
  for (std::size_t column = table.columns.size(); column-- > 0;)
    if (table.columns[column].traits.optional && says_nothing(table, column))
      remove_column(table, column);
  return table;
}

}  // namespace

void remove_column(Table& table, std::size_t column) {
  const auto at = static_cast<std::ptrdiff_t>(column);
  table.columns.erase(table.columns.begin() + at);
  for (auto& row : table.rows)
    if (column < row.size()) row.erase(row.begin() + at);
}

Format parse_format(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (name == known) return format;
  }
  throw Error(ExitCode::usage, fmt::format("unknown format '{}'; choose one of table, csv, json, "
                                           "jsonl, markdown",
                                           printable(name, 40)));
}

void write(const std::vector<Table>& tables, Format format, TextStyle style, std::ostream& out) {
  switch (format) {
    case Format::table:
      return with_empty_lines_between(
          tables, out, [&](const Table& t) { write_text(without_empty_columns(t), style, out); });
    case Format::markdown:
      return with_empty_lines_between(
          tables, out, [&](const Table& t) { write_markdown(without_empty_columns(t), out); });
    case Format::csv:
      return with_empty_lines_between(tables, out, [&](const Table& t) { write_csv(t, out); });
    case Format::json:
      return write_json(tables, out);
    case Format::jsonl:
      for (const Table& table : tables) write_jsonl(table, out);
  }
}

}  // namespace lapcast
