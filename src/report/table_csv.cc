#include <ostream>

#include "core/units.h"
#include "report/table_cell.h"
#include "report/table_writers.h"

namespace lapcast {
namespace {

/// One line without terminal control. A text that a spreadsheet would take for a formula (OWASP,
/// "CSV injection") gets an apostrophe in front, which spreadsheets do not show.
std::string safe(const std::string& text) {
  const bool formula = text.find_first_of("=+-@\t\r") == 0;
  return (formula ? "'" : "") + printable(text, text.size() + 1);
}

std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\n ") == std::string::npos) return text;
  std::string result = "\"";
  for (const char c : text) result += c == '"' ? std::string("\"\"") : std::string(1, c);
  return result + '"';
}

void write_line(const std::vector<std::string>& fields, std::ostream& out) {
  for (std::size_t i = 0; i < fields.size(); ++i) out << (i > 0 ? "," : "") << fields[i];
  out << '\n';
}

}  // namespace

void write_csv(const Table& table, std::ostream& out) {
  std::vector<std::string> fields;
  for (const std::string& key : plain_keys(table)) fields.push_back(quoted(safe(key)));
  write_line(fields, out);
  const std::vector<bool> with_bounds = columns_with_bounds(table);
  for (const auto& row : table.rows) {
    fields.clear();
    for (const PlainValue& value : plain_values(table, row, with_bounds)) {
      fields.push_back(value.quoted ? quoted(safe(value.text)) : value.text);
    }
    write_line(fields, out);
  }
}

}  // namespace lapcast
