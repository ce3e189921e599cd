#pragma once

#include <algorithm>
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

/// Holds a figure and the number of decimals that people see; machine formats get all digits.
struct Number {
  double value = 0;
  int decimals = 2;  // below 0: as many as show three significant digits
};
/// Holds a share, which people see in percent.
struct Percentage {
  double value = 0;  // 0.021 is shown as "2.1 %"
};

/// Holds a probability, which people see by format_chance().
struct Chance {
  double value = 0;
};

/// Holds a size, which people see as "366.5 MiB".
struct Bytes {
  std::int64_t count = 0;
};

/// Holds a truth value, which people see as a star or as nothing.
struct Mark {
  bool is_set = false;
};

/// Holds settings as settings_text() writes them: "batch=128 lr=0.1". JSON has an object of them.
struct Settings {
  std::string text;
};

/// Holds one cell: nothing, text, a figure or an interval. People see an interval as "12.3 s
/// (11.9-12.8)", or as "12.3 s ±4 %" on a narrow terminal; CSV and JSON get KEY, KEY_low and
/// KEY_high, in seconds or US dollars.
using Cell = std::variant<std::monostate, std::string, std::int64_t, bool, Number, Percentage,
                          Chance, Bytes, Mark, Settings, Seconds, Money, Interval<Seconds>,
                          Interval<Money>, Interval<double>>;

/// Converts a value to a cell. An absent optional becomes an empty cell; an empty text does not.
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
/// Returns the cell of value(*source), or an empty cell when the source (an optional, a Result or a
/// pointer) holds nothing. `value` may be a pointer to a member.
template <class Source, class Value>
Cell cell_if(const Source& source, Value value) {
  return source ? cell_of(std::invoke(value, *source)) : Cell();
}
/// Returns a cell with the text, or an empty cell for an empty text, so that JSON gets null.
inline Cell text_cell(std::string text) {
  return text.empty() ? Cell() : Cell(std::move(text));
}
/// Returns a cell with the time, or an empty cell for a time of 0.
inline Cell time_or_nothing(Seconds time) {
  return time.count() > 0 ? Cell(time) : Cell();
}
/// Returns a cell with the share, or an empty cell when it is absent.
inline Cell share_cell(const std::optional<double>& share) {
  return share ? Cell(Percentage{*share}) : Cell();
}

struct ColumnTraits {
  bool bounds = false;       // CSV and JSON have KEY_low and KEY_high even without any interval
  bool optional = false;     // people do not see the column when it is empty in every row
  int spare = 0;             // above 0: a narrow terminal leaves the column out, the highest first
  bool tells_apart = false;  // it leaves the column out before these if all rows have the same text
};

// These traits can be combined, as in `kOptional | spare(2)`.
inline constexpr ColumnTraits kBounds{.bounds = true};
inline constexpr ColumnTraits kOptional{.optional = true};
inline constexpr ColumnTraits kTellsApart{.tells_apart = true};
constexpr ColumnTraits spare(int order) {
  return {.spare = order};
}
constexpr ColumnTraits operator|(ColumnTraits a, ColumnTraits b) {
  return {a.bounds || b.bounds, a.optional || b.optional, a.spare + b.spare,
          a.tells_apart || b.tells_apart};
}

/// Describes a column of a finished table.
struct Column {
  std::string key;     // in CSV and JSON, with its unit: "time_s"; empty = only people see it
  std::string header;  // for people: "time"; empty = they do not see it
  ColumnTraits traits = {};
};

/// Defines a column of a table whose rows are made from values of type Row; see table_of().
template <class Row>
struct ColumnOf {
  /// Takes a function of a Row, or a pointer to a member of it, that gives the value of a cell;
  /// cell_of() converts that value.
  template <std::invocable<const Row&> Function>
  ColumnOf(std::string key, std::string header, Function function, ColumnTraits traits = {})
      : column{std::move(key), std::move(header), traits},
        cell([function](const Row& row) { return cell_of(std::invoke(function, row)); }) {}

  Column column;
  std::function<Cell(const Row&)> cell;
};

struct Figure {
  std::string key;   // in CSV and JSON, with its unit; empty = only people see it
  std::string name;  // for people; empty = they do not see it
  Cell value;
  std::string how = {};  // how the value was found; only for people
};

/// Says what JSON makes of a table.
enum class Shape {
  rows,    // an array with an object for each row
  record,  // the object of its only row
  keyed,   // an object with a member for each row, whose name is the text of the first cell
};

/// Holds a result of a command: rows under columns, a title, and lines above and below. Only the
/// notes and warnings are in JSON; what the other lines say is in columns or in other tables, too.
struct Table {
  std::string title;
  std::vector<std::string> before;  // lines between the title and the columns
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;     // each as long as columns
  std::vector<std::string> notes;          // below the table: what no column holds
  std::vector<std::string> warnings = {};  // below the notes
  std::vector<std::string> answer = {};    // lines above the title: what the table says in words
  std::string name = {};  // in JSON (docs/reference.md); empty = JSON lacks the table
  Shape shape = Shape::rows;
  bool only_json = false;               // no other format than JSON and JSON Lines shows it
  std::vector<std::string> after = {};  // lines between the rows and the notes
  /// Replaces columns and rows if it is not empty: people see a row for each figure, programs a
  /// column for each.
  std::vector<Figure> figures = {};
  /// Makes the row of an index, in a table with more rows than are held at once. Such rows follow
  /// `rows`; only columns with kBounds have intervals in them.
  std::function<std::vector<Cell>(std::size_t)> make_row = {};
  std::size_t made_rows = 0;

  bool is_without_rows() const { return rows.empty() && made_rows == 0; }
  /// Calls the function with each row; one that is made is valid during the call only.
  template <class Function>
  void for_each_row(Function function) const {
    for (const std::vector<Cell>& row : rows) function(row);
    for (std::size_t i = 0; i < made_rows; ++i) function(make_row(i));
  }
  /// Returns whether wanted(row) is true for any row.
  template <class Wanted>
  bool any_row(Wanted wanted) const {
    bool any = std::ranges::any_of(rows, wanted);
    for (std::size_t i = 0; !any && i < made_rows; ++i) any = wanted(make_row(i));
    return any;
  }
};

/// Adds a row to a table that table_of() made with the same columns.
template <class Row>
void add_row(Table& table, const std::vector<ColumnOf<Row>>& columns, const Row& row) {
  std::vector<Cell>& cells = table.rows.emplace_back();
  for (const ColumnOf<Row>& column : columns) cells.push_back(column.cell(row));
}

/// Returns a table with one row for each element of `rows`.
template <class Row, class Rows = std::vector<Row>>
Table table_of(std::string name, std::string title, const std::vector<ColumnOf<Row>>& columns,
               const Rows& rows) {
  Table table{.title = std::move(title), .name = std::move(name)};
  for (const ColumnOf<Row>& column : columns) table.columns.push_back(column.column);
  for (const Row& row : rows) add_row(table, columns, row);
  return table;
}

/// Returns the same with rows that are made when they are written; `row_at` gives the row of an
/// index.
template <class Row>
Table table_made_of(std::string name, std::string title, std::vector<ColumnOf<Row>> columns,
                    std::size_t rows, std::function<Row(std::size_t)> row_at) {
  Table table = table_of<Row>(std::move(name), std::move(title), columns, std::vector<Row>());
  table.made_rows = rows;
  table.make_row = [columns = std::move(columns), row_at = std::move(row_at)](std::size_t i) {
    const Row row = row_at(i);
    std::vector<Cell> cells;
    cells.reserve(columns.size());
    for (const ColumnOf<Row>& column : columns) cells.push_back(column.cell(row));
    return cells;
  };
  return table;
}

Table figure_table(std::string name, std::string title, std::vector<Figure> figures);
/// Returns a table of figures that only JSON shows.
Table json_record(std::string name, std::vector<Figure> figures);

/// Puts a column with the same value in every row before all others.
void add_first_column(Table& table, Column column, const Cell& value);

enum class Format { table, csv, json, jsonl, markdown };
/// Returns the format of that name. Throws Error (usage) that lists the names when there is none.
Format parse_format(std::string_view name);

struct TextStyle {
  bool colour = false;
  std::size_t width = 0;  // columns of the terminal; 0 = no limit
  bool ascii = false;     // nothing but ASCII of lapcast's own
};

/// Says which form of JSON write() writes. A new number means that a key was removed, or changed
/// its meaning or its type; keys may be added under the same number.
inline constexpr int kJsonSchema = 1;

/// Writes tables one after another; the same tables give the same bytes. The formats table and
/// markdown leave out optional columns without a value. csv has a header and rows (quoted as in
/// RFC 4180, lines end in LF, an empty line between tables); json is the object of
/// docs/reference.md, with `command` in it; jsonl has one object for each row. In these three,
/// amounts are exact decimals, and a figure that is not finite is empty or null. Any text is made
/// safe for its format (terminal control, CSV formulas, JSON, Markdown). `style` is for
/// Format::table only. A row that is too short is filled with empty cells, and one that is too long
/// is cut.
void write(std::vector<Table> tables, Format format, TextStyle style, std::ostream& out,
           std::string_view command = "");

/// Returns what write() writes of the tables as Format::json.
std::string json_text(std::vector<Table> tables, std::string_view command);

}  // namespace lapcast
