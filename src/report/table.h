#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "core/money.h"
#include "core/seconds.h"

namespace lapcast {

/// Holds a figure and the number of decimals that people are shown; machine formats get it whole.
struct Number {
  double value = 0;
  int decimals = 2;
};
/// Holds a share of one: 0.021 is shown as "2.1 %".
struct Percentage {
  double value = 0;
};

/// Holds one cell: nothing, text, a figure or an interval. Formats for people show an interval as
/// "12.3 s (11.9-12.8)"; CSV and JSON get NAME, NAME_low, NAME_high in plain units.
using Cell = std::variant<std::monostate, std::string, std::int64_t, bool, Number, Percentage,
                          Seconds, Money, Interval<Seconds>, Interval<Money>, Interval<double>>;

/// Converts a value to a cell; an absent optional becomes an empty cell.
template <class T>
Cell cell_of(const T& value) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    return static_cast<std::int64_t>(value);
  } else if constexpr (std::convertible_to<T, std::string_view>) {
    return std::string(std::string_view(value));
  } else {
    return value;
  }
}
template <class T>
Cell cell_of(const std::optional<T>& value) {
  return value ? cell_of(*value) : Cell();
}
/// Returns the cell of value(*source), or an empty cell where the source (an optional, a Result or
/// a pointer) holds nothing. `value` may be a pointer to a member.
template <class Source, class Value>
Cell cell_if(const Source& source, Value value) {
  return source ? cell_of(std::invoke(value, *source)) : Cell();
}
/// Returns an empty cell for an empty text, so that JSON gets null.
inline Cell text_cell(std::string text) {
  return text.empty() ? Cell() : Cell(std::move(text));
}
/// Returns a cell with the share, or an empty one.
inline Cell share_cell(const std::optional<double>& share) {
  return share ? Cell(Percentage{*share}) : Cell();
}

/// Says how a column is shown.
struct ColumnTraits {
  bool bounds = false;    // CSV and JSON have KEY_low and KEY_high even without any interval
  bool optional = false;  // people do not see the column when it is empty in every row
  int spare = 0;          // a narrow terminal does without the column, the highest first; 0 = never
};

// Names of traits for lists of columns, as in `kOptional | spare(2)`.
inline constexpr ColumnTraits kBounds{.bounds = true};
inline constexpr ColumnTraits kOptional{.optional = true};
constexpr ColumnTraits spare(int order) {
  return {.spare = order};
}
constexpr ColumnTraits operator|(ColumnTraits a, ColumnTraits b) {
  return {a.bounds || b.bounds, a.optional || b.optional, a.spare + b.spare};
}

/// Names a column of a finished table.
struct Column {
  std::string key;     // in CSV and JSON, with its unit: "time_s", "cost_usd"
  std::string header;  // for people: "time"
  ColumnTraits traits = {};
};

/// Defines a column completely: its names, what its cells show of a row, and how it is shown. A
/// list of these is all that a table needs; see table_of(). `cell` is a function of a row, or a
/// pointer to a member of it; cell_of() converts what it returns.
template <class Row>
struct ColumnOf {
  template <std::invocable<const Row&> Function>
  ColumnOf(std::string key, std::string header, Function function, ColumnTraits traits = {})
      : column{std::move(key), std::move(header), traits},
        cell([function](const Row& row) { return cell_of(std::invoke(function, row)); }) {}

  Column column;
  std::function<Cell(const Row&)> cell;
};

/// Holds the result of a command: rows under columns, a title, and lines above and below.
struct Table {
  std::string title;
  std::vector<std::string> before;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as columns
  std::vector<std::string> notes;       // below the table: warnings, sources, what it cost
};

/// Adds a row to a table of table_of() with the same columns.
template <class Row>
void add_row(Table& table, const std::vector<ColumnOf<Row>>& columns, const Row& row) {
  std::vector<Cell>& cells = table.rows.emplace_back();
  for (const ColumnOf<Row>& column : columns) cells.push_back(column.cell(row));
}

/// Returns a table with one row for each element of `rows`.
template <class Row, class Rows = std::vector<Row>>
Table table_of(std::string title, const std::vector<ColumnOf<Row>>& columns, const Rows& rows) {
  Table table{std::move(title), {}, {}, {}, {}};
  for (const ColumnOf<Row>& column : columns) table.columns.push_back(column.column);
  for (const Row& row : rows) add_row(table, columns, row);
  return table;
}

enum class Format { table, csv, json, jsonl, markdown };
/// Returns the format of that name. Throws Error (usage) that lists the names.
Format parse_format(std::string_view name);

/// Says how a text table looks on this terminal.
struct TextStyle {
  bool colour = false;
  std::size_t width = 0;  // columns of the terminal; 0 = no limit
};

/// Writes tables one after another. The formats table and markdown show all but empty optional
/// columns; csv has the rows only (an empty line between tables, the quoting of RFC 4180, lines
/// that end in LF); json is one array of {title, before, rows, notes}; jsonl has one object for
/// each row. Amounts are exact decimals in CSV and JSON, where a figure that is not finite is empty
/// or null. Text of programs is made safe for each format (terminal control, CSV quoting and
/// formula injection, JSON, Markdown). `style` is for Format::table only. A row that is too short
/// is filled up, and what is too long is left out. The same tables give the same bytes.
void write(std::vector<Table> tables, Format format, TextStyle style, std::ostream& out);

}  // namespace lapcast
