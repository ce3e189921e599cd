#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <ostream>

#include "report/table_cell.h"
#include "report/table_writers.h"
#include "run/json_text.h"

namespace lapcast {
namespace {

/// Returns a JSON text; bytes that are not UTF-8 become U+FFFD.
std::string json_string(const std::string& text) {
  using nlohmann::json;
  return escaped_controls(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

/// Figures are written as their digits, so that amounts stay exact.
std::string json_value(const PlainValue& value) {
  if (value.quoted) return json_string(value.text);
  return value.text.empty() ? "null" : value.text;
}

/// The rows as objects in one line each, between `before` and `after` each, with commas.
void write_rows(const Table& table, const char* before, const char* between, std::ostream& out) {
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
  write_rows(table, "\n      ", ",", out);
  out << (table.rows.empty() ? "]" : "\n    ]") << ",\n    \"notes\": ";
  write_texts(table.notes, out);
  out << "\n  }";
}

}  // namespace

void write_json(const std::vector<Table>& tables, std::ostream& out) {
  out << '[';
  for (std::size_t i = 0; i < tables.size(); ++i) {
    out << (i > 0 ? ",\n" : "\n");
    write_table(tables[i], out);
  }
  out << (tables.empty() ? "]\n" : "\n]\n");
}

void write_jsonl(const Table& table, std::ostream& out) {
  write_rows(table, "", "\n", out);
  if (!table.rows.empty()) out << '\n';
}

}  // namespace lapcast
