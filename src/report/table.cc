#include "report/table.h"

#include <fmt/core.h>

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

}  // namespace

Format parse_format(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (name == known) return format;
  }
  throw Error(ExitCode::usage, fmt::format("unknown format '{}'; choose one of table, csv, json, "
                                           "jsonl, markdown",
                                           printable(name, 40)));
}

namespace {

bool is_empty(const Cell& cell) {
  const auto* text = std::get_if<std::string>(&cell);
  return std::holds_alternative<std::monostate>(cell) || (text != nullptr && text->empty());
}

Table for_people(Table table) {
  for (std::size_t column = table.columns.size(); column-- > 0;) {
    const bool says_nothing =
        std::all_of(table.rows.begin(), table.rows.end(),
                    [&](const std::vector<Cell>& row) { return is_empty(row[column]); });
    if (!table.columns[column].optional || !says_nothing) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(column));
    for (auto& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(column));
  }
  return table;
}

}  // namespace

void write(const std::vector<Table>& tables, Format format, bool colour, std::ostream& out) {
  switch (format) {
    case Format::table:
      return with_empty_lines_between(tables, out,
                                      [&](const Table& t) { write_text(for_people(t), colour, out); });
    case Format::markdown:
      return with_empty_lines_between(tables, out, [&](const Table& t) { write_markdown(for_people(t), out); });
    case Format::csv:
      return with_empty_lines_between(tables, out, [&](const Table& t) { write_csv(t, out); });
    case Format::json:
      return write_json(tables, out);
    case Format::jsonl:
      for (const Table& table : tables) write_jsonl(table, out);
  }
}

}  // namespace lapcast
