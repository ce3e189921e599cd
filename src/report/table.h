#pragma once

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/interval.h"
#include "core/money.h"
#include "core/seconds.h"

namespace lapcast {

/// A figure with the number of significant digits or decimals that people are shown; machine
/// formats get it whole.
struct Number {
  double value = 0;
  int decimals = 2;
};
struct Percentage {  // 0.021 is shown as "2.1 %"
  double value = 0;
};

/// A cell: nothing, text, a figure or an interval. People's formats show an interval as
/// "12.3 s (11.9-12.8)"; CSV and JSON get NAME, NAME_low, NAME_high in plain units.
using Cell = std::variant<std::monostate, std::string, std::int64_t, bool, Number, Percentage, Seconds,
                          Money, Interval<Seconds>, Interval<Money>, Interval<double>>;

struct Column {
  std::string key;      // in CSV and JSON, with its unit: "time_s", "cost_usd"
  std::string header;   // for people: "time"
  bool bounds = false;  // has KEY_low and KEY_high in CSV and JSON even when no row has an interval
  bool optional = false;  // people are not shown it when it is empty in every row
  int spare = 0;  // left out where the terminal is too narrow, the highest first; 0 = never
};

/// The one result type of all commands: rows under columns, a title, and lines above and below.
struct Table {
  std::string title;
  std::vector<std::string> before;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;  // each as long as columns
  std::vector<std::string> notes;       // below the table: warnings, sources, what it cost
};

enum class Format { table, csv, json, jsonl, markdown };
/// Throws Error (usage) that lists the names.
Format parse_format(std::string_view name);

/// How a text table looks on this terminal.
struct TextStyle {
  bool colour = false;
  std::size_t width = 0;  // columns of the terminal; 0 = no limit
};

/// Writes tables one after another. table and markdown show all but empty optional columns; csv the
/// rows only (tables apart by an empty line, quoting of RFC 4180, lines end in LF); json one array
/// of {title, before, rows, notes}; jsonl one object a row. Amounts are exact decimals in CSV and JSON; a figure that is not
/// finite is empty or null there. Text of programs is made safe for each format (terminal control,
/// CSV quoting and formula injection, JSON, Markdown). `look` is of Format::table only. The same tables give the same bytes.
void write(const std::vector<Table>& tables, Format format, TextStyle look, std::ostream& out);

}  // namespace lapcast
