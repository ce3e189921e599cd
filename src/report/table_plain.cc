// This file has the formats for machines: CSV, JSON and JSON Lines.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <variant>
#include <vector>

#include "core/units.h"
#include "report/table_writers.h"
#include "run/text_bytes.h"

namespace lapcast {
namespace {

/// Holds a value of the machine formats. One that is empty and not quoted stands for nothing.
struct PlainValue {
  std::string text;
  bool quoted = false;  // It is a text, not a figure or a truth value.
};

/// Makes plain values: of a figure its shortest digits that read back the same, and nothing where
/// it is not finite.
struct Plain {
  PlainValue operator()(std::monostate) const { return {}; }
  PlainValue operator()(const std::string& text) const { return {text, true}; }
  PlainValue operator()(std::int64_t n) const { return {fmt::format("{}", n)}; }
  PlainValue operator()(bool truth) const { return {truth ? "true" : "false"}; }
  PlainValue operator()(double value) const {
    return {std::isfinite(value) ? fmt::format("{}", value) : ""};
  }
  PlainValue operator()(const Number& n) const { return (*this)(n.value); }
  PlainValue operator()(const Percentage& share) const { return (*this)(share.value); }
  PlainValue operator()(const Chance& chance) const { return (*this)(chance.value); }
  PlainValue operator()(Seconds time) const { return (*this)(time.count()); }
  PlainValue operator()(Money amount) const { return {exact_decimal(amount)}; }
};

bool is_interval(const Cell& cell) {
  return std::visit(
      [](const auto& value) {
        return requires {
          value.mid;
        };
      },
      cell);
}

/// Returns the value of a cell, or the middle, low and high value of an interval.
std::vector<PlainValue> values_of_cell(const Cell& cell) {
  const auto values = [](const auto& value) -> std::vector<PlainValue> {
    if constexpr (requires { value.mid; })
      return {Plain{}(value.mid), Plain{}(value.low), Plain{}(value.high)};
    else
      return {Plain{}(value)};
  };
  return std::visit(values, cell);
}

/// Holds the rows of a table as the machine formats have them.
struct PlainTable {
  std::vector<std::string> keys;
  std::vector<bool> bounds;  // of each column: whether it has KEY_low and KEY_high

  explicit PlainTable(const Table& table) {
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      const Column& column = table.columns[i];
      keys.push_back(column.key);
      bounds.push_back(column.traits.bounds || std::ranges::any_of(table.rows, [i](auto& row) {
                         return is_interval(row[i]);
                       }));
      if (bounds[i]) keys.insert(keys.end(), {column.key + "_low", column.key + "_high"});
    }
  }
  /// Returns the values of a row, one for each key.
  std::vector<PlainValue> values(const std::vector<Cell>& row) const {
    std::vector<PlainValue> values;
    for (std::size_t i = 0; i < row.size(); ++i) {
      std::vector<PlainValue> cell = values_of_cell(row[i]);
      cell.resize(bounds[i] ? 3 : 1);
      values.insert(values.end(), cell.begin(), cell.end());
    }
    return values;
  }
};

/// Returns one line without terminal control. A text that a spreadsheet would take for a formula
/// (OWASP, "CSV injection") gets an apostrophe in front, which spreadsheets do not show.
std::string safe(const std::string& text) {
  const bool formula = text.find_first_of("=+-@\t\r") == 0;
  return (formula ? "'" : "") + printable(text, text.size() + 1);
}

std::string csv_text(const std::string& text) {
  const std::string field = safe(text);
  if (field.find_first_of(",\"\n ") == field.npos) return field;
  std::string result = "\"";
  for (const char c : field) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

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

/// Returns each row as an object on one line.
std::vector<std::string> json_objects(const Table& table) {
  const PlainTable plain(table);
  std::vector<std::string> keys;
  for (const std::string& key : plain.keys) keys.push_back(json_string(key));
  std::vector<std::string> objects;
  for (const auto& row : table.rows) {
    std::vector<std::string> members;
    for (const PlainValue& value : plain.values(row))
      members.push_back(fmt::format("{}: {}", keys[members.size()], json_value(value)));
    objects.push_back(fmt::format("{{{}}}", fmt::join(members, ", ")));
  }
  return objects;
}

/// Returns an array with one element on each line.
std::string json_array(const std::vector<std::string>& elements) {
  if (elements.empty()) return "[]";
  return fmt::format("[\n      {}\n    ]", fmt::join(elements, ",\n      "));
}

std::string json_array_of_texts(std::vector<std::string> texts) {
  for (std::string& text : texts) text = json_string(text);
  return json_array(texts);
}

}  // namespace

void write_csv(const Table& table, std::ostream& out) {
  const PlainTable plain(table);
  std::vector<std::string> fields;
  const auto write_line = [&] {
    out << fmt::format("{}\n", fmt::join(fields, ","));
    fields.clear();
  };
  for (const std::string& key : plain.keys) fields.push_back(csv_text(key));
  write_line();
  for (const auto& row : table.rows) {
    for (const PlainValue& value : plain.values(row))
      fields.push_back(value.quoted ? csv_text(value.text) : value.text);
    write_line();
  }
}

void write_json(const std::vector<Table>& tables, std::ostream& out) {
  std::vector<std::string> objects;
  for (const Table& table : tables)
    objects.push_back(
        fmt::format("\n  {{\n    \"title\": {},\n    \"answer\": {},\n    \"before\": {},\n    "
                    "\"rows\": {},\n    \"notes\": {}\n  }}",
                    json_string(table.title), json_array_of_texts(table.answer),
                    json_array_of_texts(table.before), json_array(json_objects(table)),
                    json_array_of_texts(table.notes)));
  out << fmt::format("[{}{}]\n", fmt::join(objects, ","), tables.empty() ? "" : "\n");
}

void write_jsonl(const Table& table, std::ostream& out) {
  for (const std::string& object : json_objects(table)) out << object << '\n';
}

}  // namespace lapcast
