// The formats for machines: CSV, JSON and JSON Lines.
#include <fmt/core.h>

#include <fmt/format.h>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "core/units.h"
#include "report/table_writers.h"
#include "run/json_text.h"

namespace lapcast {
namespace {

/// Holds a value of the machine formats. Neither quoted nor with text: nothing.
struct PlainValue {
  std::string text;
  bool quoted = false;  // is a text, not a figure or a truth value
};

/// Returns the shortest digits that read back the same; nothing where the value is not finite.
PlainValue figure(double value) {
  return {std::isfinite(value) ? fmt::format("{}", value) : "", false};
}
PlainValue figure(Seconds time) {
  return figure(time.count());
}
PlainValue figure(Money amount) {
  return {exact_decimal(amount), false};
}

template <class T>
std::vector<PlainValue> with_bounds(const Interval<T>& interval) {
  return {figure(interval.mid), figure(interval.low), figure(interval.high)};
}

struct Plain {
  std::vector<PlainValue> operator()(std::monostate) const { return {{}}; }
  std::vector<PlainValue> operator()(const std::string& text) const { return {{text, true}}; }
  std::vector<PlainValue> operator()(std::int64_t n) const {
    return {{fmt::format("{}", n), false}};
  }
  std::vector<PlainValue> operator()(bool truth) const {
    return {{truth ? "true" : "false", false}};
  }
  std::vector<PlainValue> operator()(const Number& n) const { return {figure(n.value)}; }
  std::vector<PlainValue> operator()(const Percentage& share) const {
    return {figure(share.value)};
  }
  std::vector<PlainValue> operator()(Seconds time) const { return {figure(time)}; }
  std::vector<PlainValue> operator()(Money amount) const { return {figure(amount)}; }
  template <class T>
  std::vector<PlainValue> operator()(const Interval<T>& interval) const {
    return with_bounds(interval);
  }
};

bool is_interval(const Cell& cell) {
  return std::holds_alternative<Interval<Seconds>>(cell) ||
         std::holds_alternative<Interval<Money>>(cell) ||
         std::holds_alternative<Interval<double>>(cell);
}

/// Returns true for each column that has KEY_low and KEY_high.
std::vector<bool> columns_with_bounds(const Table& table) {
  std::vector<bool> result;
  for (const Column& column : table.columns) result.push_back(column.traits.bounds);
  for (const auto& row : table.rows) {
    for (std::size_t i = 0; i < row.size() && i < result.size(); ++i) {
      if (is_interval(row[i])) result[i] = true;
    }
  }
  return result;
}

/// Returns the keys of the machine formats.
std::vector<std::string> plain_keys(const Table& table) {
  const std::vector<bool> bounds = columns_with_bounds(table);
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    const std::string& key = table.columns[i].key;
    keys.push_back(key);
    if (bounds[i]) keys.insert(keys.end(), {key + "_low", key + "_high"});
  }
  return keys;
}

/// Returns the values of a row under plain_keys(). A row that is too short is filled up, and what
/// is too long is left out.
std::vector<PlainValue> plain_values(const Table& table, const std::vector<Cell>& row,
                                     const std::vector<bool>& with_bounds) {
  std::vector<PlainValue> values;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    auto cell = i < row.size() ? std::visit(Plain{}, row[i]) : std::vector<PlainValue>(1);
    cell.resize(with_bounds[i] ? 3 : 1);
    values.insert(values.end(), cell.begin(), cell.end());
  }
  return values;
}

// CSV
// ----------------------------------------------------------------------------------------------

/// Returns one line without terminal control. A text that a spreadsheet would take for a formula
/// (OWASP, "CSV injection") gets an apostrophe in front, which spreadsheets do not show.
std::string safe(const std::string& text) {
  const bool formula = text.find_first_of("=+-@\t\r") == 0;
  return (formula ? "'" : "") + printable(text, text.size() + 1);
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\n ") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

void write_line(const std::vector<std::string>& fields, std::ostream& out) {
  for (std::size_t i = 0; i < fields.size(); ++i) out << (i > 0 ? "," : "") << fields[i];
  out << '\n';
}

// JSON
// ---------------------------------------------------------------------------------------------

/// Returns a JSON text; bytes that are not UTF-8 become U+FFFD.
std::string json_string(const std::string& text) {
  using nlohmann::json;
  return escaped_controls(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Returns figures as their digits, so that amounts stay exact.
std::string json_value(const PlainValue& value) {
  if (value.quoted) return json_string(value.text);
  return value.text.empty() ? "null" : value.text;
}

/// Writes each row as an object on one line, after `before`, with `between` between two of them.
void write_objects(const Table& table, const char* before, const char* between, std::ostream& out) {
  const std::vector<std::string> keys = plain_keys(table);
  const std::vector<bool> with_bounds = columns_with_bounds(table);
  for (std::size_t r = 0; r < table.rows.size(); ++r) {
    out << (r > 0 ? between : "") << before << '{';
    const std::vector<PlainValue> values = plain_values(table, table.rows[r], with_bounds);
    for (std::size_t i = 0; i < keys.size(); ++i) {
      out << (i > 0 ? ", " : "") << json_string(keys[i]) << ": " << json_value(values[i]);
    }
    out << '}';
  }
}

void write_texts(const std::vector<std::string>& texts, std::ostream& out) {
  out << '[';
  for (std::size_t i = 0; i < texts.size(); ++i) {
    out << (i > 0 ? ",\n      " : "\n      ") << json_string(texts[i]);
  }
  out << (texts.empty() ? "]" : "\n    ]");
}

void write_table(const Table& table, std::ostream& out) {
  out << "  {\n    \"title\": " << json_string(table.title) << ",\n    \"before\": ";
  write_texts(table.before, out);
  out << ",\n    \"rows\": [";
  write_objects(table, "\n      ", ",", out);
  out << (table.rows.empty() ? "]" : "\n    ]") << ",\n    \"notes\": ";
  write_texts(table.notes, out);
  out << "\n  }";
}

}  // namespace

void write_csv(const Table& table, std::ostream& out) {
  std::vector<std::string> fields;
  for (const std::string& key : plain_keys(table)) fields.push_back(csv_field(safe(key)));
  write_line(fields, out);
  const std::vector<bool> with_bounds = columns_with_bounds(table);
  for (const auto& row : table.rows) {
    fields.clear();
    for (const PlainValue& value : plain_values(table, row, with_bounds)) {
      fields.push_back(value.quoted ? csv_field(safe(value.text)) : value.text);
    }
    write_line(fields, out);
  }
}

void write_json(const std::vector<Table>& tables, std::ostream& out) {
  out << '[';
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out << (i > 0 ? ",\n" : "\n");
    write_table(tables[i], out);
  }
  out << (tables.empty() ? "]\n" : "\n]\n");
}

void write_jsonl(const Table& table, std::ostream& out) {
  write_objects(table, "", "\n", out);
  if (!table.rows.empty()) out << '\n';
}

}  // namespace lapcast
